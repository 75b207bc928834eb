# `make help` lists the targets. Newcomers need `make run` and `make unit`.

PACKAGES = build-essential fonts-dejavu-core fonts-lato fonts-noto-color-emoji fonts-noto-core fonts-wqy-microhei git libarchive-dev libargon2-dev libcairo2-dev \
	libcurl4-gnutls-dev libdeflate-dev libexpat1-dev libgeos-dev libheif-dev libjpeg62-turbo-dev libjs-leaflet libjs-leaflet.markercluster libkopeninghours-dev \
	liblcms2-dev libopencv-dnn-dev libopencv-imgproc-dev libpango1.0-dev libphonenumber-dev libpng-dev libpq-dev libproj-dev libqrencode-dev libseccomp-dev \
	libspatialite-dev libsqlite3-dev libssl-dev libstemmer-dev libwebp-dev pkg-config python3 qtbase5-dev xz-utils zlib1g-dev
# Firefox, and WebKit, the engine of Safari, with a display for it.
ENGINE_PACKAGES = firefox-esr webkit2gtk-driver xvfb
# For tests: browsers, GDAL, pip for axe-core, moto and foreign clients, proxies, promtool, and programs that read PDFs and QR codes.
TEST_PACKAGES = caddy chromium chromium-driver curl $(ENGINE_PACKAGES) gdal-bin nginx-light oathtool openssl poppler-utils prometheus python3-pip \
	python3-venv zbar-tools
AXE = .build/axe/axe_playwright_python/axe.min.js
# The server of object stores for tests.
MOTO = .build/moto/moto/__init__.py
PIP_INSTALL = python3 -m pip install -q --disable-pip-version-check --root-user-action ignore --retries 1 --no-deps --require-hashes
# Debian's tools that `make deb` and its test need.
DEB_PACKAGES = binutils dpkg-dev
POSTGIS_TEST_PACKAGES = haproxy libsqlite3-mod-spatialite postgresql-15 postgresql-15-postgis-3
INSTALL_TEST_PACKAGES = curl debootstrap lintian systemd-container
# Debian's tools that `make image` needs.
IMAGE_PACKAGES = mmdebstrap zstd
# Foreign clients that install quickly; `make clients` runs all of them.
QUICK_CLIENTS = cql2_rows engines feeds gdal_features geocoders mail openapi outgoing owslib_features proxies tiles
# They use no database, or run the program as a user who may not use the socket of the test's PostgreSQL server.
NOT_POSTGIS_CLIENTS = outgoing proxies
# The number of test cases that run at once. Some wait for other programs, so it is more than there are cores.
WIDTH = 6
SWIFT_TEST = swift test --experimental-maximum-parallelization-width $(WIDTH)
# Suites that need a browser, foreign programs or the large shared data, or that take long.
NOT_UNIT = ^BrowserTests\.|^CommandTests\.|^FlyerTests\.FlyerTests|RealBoundariesTests|RealExtractTests|AccuracyTests|DatabaseCheckTests|HTTPSClientTests|BucketTests|BucketRoutesTests
# Suites with databases, which run on both engines.
USE_DATABASE = ^(Storage|CQL2|Server|ServerPeople|PlaceFiles|Imports|Mail|Channels|SocialMedia)Tests\.|^CommandTests\.CopyTests
ON_POSTGIS = /usr/bin/python3 Tests/Postgis/server.py
BUILD_TESTS = swift build --build-tests --explicit-target-dependency-import-check error
# Swift's runtime is part of the program, so that it runs where no Swift is installed.
RELEASE = -c release --static-swift-stdlib
# Foundation's library of ICU without the languages that the program does not speak, 27 MB smaller.
ICU = .build/icu/lib_FoundationICU.a
SMALL_ICU = -Xlinker '--remap-inputs=*/lib_FoundationICU.a=$(CURDIR)/$(ICU)'
# The first build takes minutes, in which `swift build` may be silent.
WITH_TIME = Sources/doggofinder/Packaging/with-time.sh 'building (the first time takes 6 to 9 minutes with 2 cores)'
SOURCES = Package.swift Sources Tests Migrations geodata
PORT ?= 8080
DATA ?= data

.PHONY: help run build demo deb image sbom language check unit test test-postgis install-test example docs bench clients crash stops failover faults attack tls fuzz soak format clean \
	dependencies

help: ## Lists these targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

run: build ## Installs what is missing, builds, and serves on http://127.0.0.1:8080 (PORT=, DATA=)
	.build/release/doggofinder serve --port $(PORT) --data $(DATA)

build: dependencies $(ICU) ## Builds the program for release
	@$(WITH_TIME) swift build $(RELEASE) $(SMALL_ICU) --product doggofinder

$(ICU): Sources/doggofinder/Packaging/icu_data.py $(wildcard Sources/Domain/Languages/*/language.json) $(realpath $(shell command -v swiftc)) | dependencies
	python3 $< $@

demo: build ## Fills the data folder with 1,000 invented listings and a map of Valletta (DATA=)
	.build/release/doggofinder demo --count 1000 --seed 1 --data $(DATA)

deb: PACKAGES += $(DEB_PACKAGES)
deb: build ## Builds the Debian package in .build
	Sources/doggofinder/Packaging/build-deb.sh .build/release .build

image: PACKAGES += $(DEB_PACKAGES) $(IMAGE_PACKAGES)
image: build ## Builds an image for containers in .build: an OCI archive of the Debian package
	Sources/doggofinder/Packaging/container/build-image.sh "$$(Sources/doggofinder/Packaging/build-deb.sh .build/release .build)" .build

sbom: build ## Lists the components of the program in .build/sbom.json (CycloneDX)
	python3 Sources/doggofinder/Packaging/sbom.py .build/release > .build/sbom.json

language: ## Makes the folder of a new language, or adds what is missing in it (LANG=)
	python3 Sources/doggofinder/Packaging/language.py $(LANG)

check: dependencies ## Checks the format of the code and the imports between targets
	swift format lint --strict --recursive $(SOURCES)
	$(BUILD_TESTS)

unit: dependencies ## Runs the tests that need no network, browser, root or foreign program
	$(SWIFT_TEST) --skip '$(NOT_UNIT)'

test: PACKAGES += $(TEST_PACKAGES)
test: dependencies ## Runs everything that the gate runs, with the time of each stage
	@export PROGRAM=.build/debug/doggofinder; Tests/stages.sh \
		lint='swift format lint --strict --recursive $(SOURCES)' \
		build='{ make -s $(AXE) $(MOTO) & } && $(BUILD_TESTS) && swift build --product fuzz && swift build --product outgoing-samples && swift build --product example && wait' \
		-- \
		unit='$(SWIFT_TEST) --skip-build --skip "$(NOT_UNIT)"' \
		programs='$(SWIFT_TEST) --skip-build --filter "$(NOT_UNIT)" --skip "^BrowserTests\."' \
		browser='$(SWIFT_TEST) --skip-build --filter "^BrowserTests\."' \
		-- \
		clients='LISTINGS=1500 PHASES=examples,coverage Tests/Clients/run.sh $(QUICK_CLIENTS)' \
		example='test "$$(.build/debug/example Tests/PhotosTests/Fixtures/turned.jpg 14.79 40.77 | tail -1)" = Fisciano' \
		crash='python3 Tests/Durability/crash.py 10 1' \
		stops='python3 Tests/Durability/stops.py 10 1' \
		attack='python3 Tests/Security/attack.py .build/debug/doggofinder --quick' \
		tls='python3 Tests/Security/tls.py .build/debug/doggofinder' \
		fuzz='.build/debug/fuzz all --inputs 200 --seconds 1'

install-test: PACKAGES += $(DEB_PACKAGES) $(IMAGE_PACKAGES) $(INSTALL_TEST_PACKAGES)
install-test: build ## Installs, upgrades and purges the package on a bare Debian 12, and runs the image for containers
	python3 Tests/Install/install.py .build/release .build/install
	python3 Tests/Install/image.py "$$(Sources/doggofinder/Packaging/build-deb.sh .build/release .build/install)" .build/install

failover: PACKAGES += $(POSTGIS_TEST_PACKAGES)
failover: build ## Kills nodes and PostgreSQL servers 50 times while clients write (FAILURES=)
	python3 Tests/Postgis/failover.py $(or $(FAILURES),50)

test-postgis: PACKAGES += $(POSTGIS_TEST_PACKAGES) $(TEST_PACKAGES)
test-postgis: dependencies $(MOTO) ## Compares the schemas of PostgreSQL and SpatiaLite, and runs the tests of everything that uses a database on servers that it starts
	@export PROGRAM=Tests/Postgis/program.py; Tests/stages.sh \
		build='swift build --build-tests' \
		schema='/usr/bin/python3 Tests/Postgis/schema.py' \
		unit='$(ON_POSTGIS) $(SWIFT_TEST) --skip-build --filter "$(USE_DATABASE)" --skip "RealBoundariesTests"' \
		clients='LISTINGS=1500 PHASES=examples,coverage $(ON_POSTGIS) Tests/Clients/run.sh $(filter-out $(NOT_POSTGIS_CLIENTS),$(QUICK_CLIENTS))' \
		crash='python3 Tests/Durability/crash.py --postgis 10 1' \
		stops='$(ON_POSTGIS) python3 Tests/Durability/stops.py 10 1' \
		attack='$(ON_POSTGIS) python3 Tests/Security/attack.py $$PROGRAM --quick' \
		failover='PROGRAM=.build/debug/doggofinder python3 Tests/Postgis/failover.py 5 1'

# Tests of accessibility are skipped where PyPI cannot be reached.
$(AXE): | dependencies
	@echo 'axe-playwright-python==0.1.8 --hash=sha256:97de160210fd5ce51e552d21d3b0a1cabb850235942737643ee3b9398de81a47' | \
		$(PIP_INSTALL) --target .build/axe -r /dev/stdin || echo "skipped: axe-core: PyPI cannot be reached"

# Tests of photos in a bucket are skipped where PyPI cannot be reached.
$(MOTO): Tests/ObjectStorageTests/Store/requirements.txt | dependencies
	@$(PIP_INSTALL) --upgrade --target .build/moto -r $< && touch $@ || echo "skipped: moto: PyPI cannot be reached"

example: dependencies ## Builds the example of another package that uses this one
	swift build --package-path Tests/ExamplePackage --scratch-path .build/example

docs: dependencies ## Builds the documentation into .build/docs, without warnings
	swift package --allow-writing-to-directory .build/docs generate-documentation --target doggofinder \
		--warnings-as-errors --output-path .build/docs

bench: dependencies ## Measures searches, requests, posts and tiles
	Tests/Performance/run.sh

clients: PACKAGES += $(ENGINE_PACKAGES) gdal-bin python3-qgis python3-venv
clients: build ## Runs all foreign clients against the server
	swift build $(RELEASE) --product outgoing-samples
	Tests/Clients/run.sh

crash: build ## Kills server and commands 200 times while clients write
	python3 Tests/Durability/crash.py 200

stops: build ## Stops the server 500 times while clients connect
	python3 Tests/Durability/stops.py 500

faults: build ## Simulates power cuts, failing calls, full disks and damaged pages
	python3 Tests/Durability/faults.py

attack: build ## Runs hostile clients against the server
	python3 Tests/Security/attack.py .build/release/doggofinder

tls: build ## Runs ordinary and hostile TLS and HTTP/2 clients against the server
	python3 Tests/Security/tls.py .build/release/doggofinder

fuzz: build ## Fuzzes every parser (SECONDS_EACH=)
	swift build $(RELEASE) --product fuzz
	Tests/Fuzzing/run.sh

soak: build ## Runs the server at full load for ten minutes
	python3 Tests/Security/soak.py .build/release/doggofinder

format: ## Formats the code
	swift format -i --recursive $(SOURCES)

clean: ## Removes what was built
	swift package clean

# Asks for root only where a package is missing.
dependencies:
	@dpkg -s $(PACKAGES) >/dev/null 2>&1 || { \
		sudo=$$( [ $$(id -u) = 0 ] || echo sudo ); \
		echo "Installing $(PACKAGES)"; \
		$$sudo apt-get update -q && $$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -qy $(PACKAGES); }
