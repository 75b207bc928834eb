# make run: install what is missing, build, serve. make test: the whole test suite. make bench: what it costs.
# make clients: other people's programs against it, all of them.

PACKAGES = build-essential fonts-dejavu-core fonts-lato fonts-noto-color-emoji git libargon2-dev libcairo2-dev \
	libdeflate-dev libexpat1-dev libgeos-dev libjpeg62-turbo-dev libjs-leaflet libjs-leaflet.markercluster liblcms2-dev \
	libopencv-dnn-dev libopencv-imgproc-dev libpango1.0-dev libpng-dev libproj-dev libqrencode-dev libseccomp-dev \
	libspatialite-dev libsqlite3-dev libwebp-dev pkg-config xz-utils zlib1g-dev
# What tests need besides: a browser that they drive, what fetches axe-core and clients, and what reads PDFs and QR codes.
TEST_PACKAGES = chromium chromium-driver gdal-bin poppler-utils python3-pip python3-venv zbar-tools
AXE = .build/axe/axe_playwright_python/axe.min.js
# Other people's programs that are installed quickly, for `make test`; `make clients` runs all.
QUICK_CLIENTS = cql2_rows feeds gdal_features geocoders openapi owslib_features tiles
PORT ?= 8080
DATA ?= data

.PHONY: run build test bench clients lint dependencies

run: build
	.build/release/doggofinder serve --port $(PORT) --data $(DATA)

build: dependencies
	swift build -c release --product doggofinder

test: PACKAGES += $(TEST_PACKAGES)
test: dependencies $(AXE)
	swift build --build-tests
	PROGRAM=.build/debug/doggofinder LISTINGS=1500 PHASES=examples,coverage Tests/Clients/run.sh $(QUICK_CLIENTS)
	swift test

# Tests of accessibility are left out where it cannot be fetched.
$(AXE): | dependencies
	@python3 -m pip install -q --disable-pip-version-check --root-user-action ignore --retries 1 --no-deps \
		--target .build/axe axe-playwright-python==0.1.8 || echo "Without axe-core"

bench: dependencies
	Tests/Performance/run.sh

clients: PACKAGES += gdal-bin python3-qgis python3-venv
clients: build
	Tests/Clients/run.sh

lint:
	swift format lint --strict --recursive Package.swift Sources Tests Migrations geodata

# Asks for root only where something is missing.
dependencies:
	@dpkg -s $(PACKAGES) >/dev/null 2>&1 || { \
		sudo=$$( [ $$(id -u) = 0 ] || echo sudo ); \
		echo "Installing $(PACKAGES)"; \
		$$sudo apt-get update -q && $$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -qy $(PACKAGES); }
