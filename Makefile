# make run: install what is missing, build, serve. make test: the whole test suite. make bench: what it costs.
# make clients: other people's programs against it, all of them. make crash, make faults: what it survives. make attack: hostile
# clients. make fuzz: every parser with what is nearly right. make soak: ten minutes at full load.

PACKAGES = build-essential fonts-dejavu-core fonts-lato fonts-noto-color-emoji git libarchive-dev libargon2-dev libcairo2-dev \
	libcurl4-gnutls-dev libdeflate-dev libexpat1-dev libgeos-dev libjpeg62-turbo-dev libjs-leaflet libjs-leaflet.markercluster liblcms2-dev \
	libopencv-dnn-dev libopencv-imgproc-dev libpango1.0-dev libpng-dev libproj-dev libqrencode-dev libseccomp-dev \
	libspatialite-dev libsqlite3-dev libwebp-dev pkg-config xz-utils zlib1g-dev
# What tests need besides: a browser that they drive, what fetches axe-core and clients, and what reads PDFs and QR codes.
TEST_PACKAGES = chromium chromium-driver gdal-bin poppler-utils python3-pip python3-venv zbar-tools
AXE = .build/axe/axe_playwright_python/axe.min.js
# Other people's programs that are installed quickly, for `make test`; `make clients` runs all.
QUICK_CLIENTS = cql2_rows feeds gdal_features geocoders mail openapi owslib_features tiles
PORT ?= 8080
DATA ?= data

.PHONY: run build test bench clients crash faults attack fuzz soak lint dependencies

run: build
	.build/release/doggofinder serve --port $(PORT) --data $(DATA)

build: dependencies
	swift build -c release --product doggofinder

test: PACKAGES += $(TEST_PACKAGES)
test: dependencies $(AXE)
	swift build --build-tests
	PROGRAM=.build/debug/doggofinder LISTINGS=1500 PHASES=examples,coverage Tests/Clients/run.sh $(QUICK_CLIENTS)
	PROGRAM=.build/debug/doggofinder python3 Tests/Durability/crash.py 10 1
	python3 Tests/Security/attack.py .build/debug/doggofinder --quick
	swift build --product fuzz && .build/debug/fuzz all --inputs 200 --seconds 1
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

# Two hundred kills; then power cuts, failing calls, a full disk, spoilt pages and odd folders.
crash: build
	python3 Tests/Durability/crash.py 200

faults: build
	python3 Tests/Durability/faults.py

fuzz: build
	swift build -c release --product fuzz
	Tests/Fuzzing/run.sh

attack: build
	python3 Tests/Security/attack.py .build/release/doggofinder

soak: build
	python3 Tests/Security/soak.py .build/release/doggofinder

lint:
	swift format lint --strict --recursive Package.swift Sources Tests Migrations geodata

# Asks for root only where something is missing.
dependencies:
	@dpkg -s $(PACKAGES) >/dev/null 2>&1 || { \
		sudo=$$( [ $$(id -u) = 0 ] || echo sudo ); \
		echo "Installing $(PACKAGES)"; \
		$$sudo apt-get update -q && $$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -qy $(PACKAGES); }
