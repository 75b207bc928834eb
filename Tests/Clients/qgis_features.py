"""Reads our feature collections with QGIS without its user interface.

Usage: qgis_features.py ADDRESS PROGRAM DATA

QGIS is a package for Debian's Python. If the current Python cannot import it, Debian's Python runs this file.
"""

import os
import sys

from boards.large import boxed, keys, seed, tell

ADDRESS, PROGRAM, DATA = sys.argv[1:4]
DEBIAN = "/usr/bin/python3"
BOX = (12, 41, 14.5, 43.25)

try:
    from qgis.core import Qgis, QgsApplication, QgsFeatureRequest, QgsRectangle, QgsVectorLayer
except ImportError:
    if sys.executable == DEBIAN or os.system(f"{DEBIAN} -c 'import qgis.core' 2> /dev/null"):
        print("QGIS", "all", "skipped: python3-qgis is missing", sep="\t")
        sys.exit()
    os.execv(DEBIAN, [DEBIAN, *sys.argv])


def main():
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    seed(PROGRAM, DATA)
    application = QgsApplication([], False)
    application.initQgis()
    name = f"QGIS {Qgis.QGIS_VERSION.split('-')[0]}"
    layer = open_layer("listings")
    tell(name, "everything", read(layer), keys(DATA))
    tell(name, "the count", {layer.featureCount()}, {len(keys(DATA))})
    request = QgsFeatureRequest().setFilterRect(QgsRectangle(*BOX))
    tell(name, "a window of the map", read(open_layer("listings"), request), keys(DATA, boxed(*BOX)))
    request = QgsFeatureRequest().setFilterExpression("\"status\" = 'lost' AND \"name\" IS NULL")
    tell(name, "an expression", read(open_layer("listings"), request), keys(DATA, "listing.status = 'lost' AND name IS NULL"))
    assert open_layer("pois").isValid()
    tell(name, "the other layer", {"pois"}, {"pois"})
    # The regular exit waits for threads that no longer exist.
    sys.stdout.flush()
    os._exit(0)


def open_layer(collection):
    source = f"url='{ADDRESS}' typename='{collection}' restrictToRequestBBOX='1' pageSize='1000'"
    layer = QgsVectorLayer(source, collection, "OAPIF")
    assert layer.isValid(), layer.error().message()
    return layer


def read(layer, request=None):
    features = list(layer.getFeatures(request) if request else layer.getFeatures())
    found = {feature["id"] for feature in features}
    assert len(found) == len(features), "a listing twice"
    return found


main()
