# The ones that matter: `make demo`, `make check` and `make test`. `make help` lists the rest.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

GO ?= go
# whyhot is shipped without cgo. Built, tested and linted in one way, what it is made
# of is compiled once.
export CGO_ENABLED := 0
# Go's compiler and linker collect their garbage less often: a fifth less CPU for 1.5 times
# the memory (docs/decisions/0566-fewer-collections-while-building.md).
BUILD := GOGC=400 $(GO) build
LINT := build/tools/bin/golangci-lint

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-13s %s\n", $$1, $$2}'

.PHONY: build
build: ## build bin/whyhot
	@scripts/deps build
	$(BUILD) -o bin/whyhot ./cmd/whyhot

.PHONY: analyzer
analyzer: ## build bin/whyhot-analyzer, the part that needs LLVM 19 (for `whyhot scan`)
	@scripts/deps analyzer
	@mkdir -p build
	@cmake -G Ninja -S analyzer -B build/analyzer -DCMAKE_CXX_COMPILER=clang++-19 -DWHYHOT_VERSION=$$(git describe --tags --always --dirty 2> /dev/null || echo unknown) > build/analyzer-cmake.log || { cat build/analyzer-cmake.log; exit 1; }
	ninja -C build/analyzer
	@mkdir -p bin && cp --remove-destination build/analyzer/whyhot-analyzer build/analyzer/whyhot-whatif.so bin/

.PHONY: server
server: ## build bin/whyhot-server, the part that needs cgo (for `whyhot serve`)
	@scripts/deps build server
	CGO_ENABLED=1 $(BUILD) -tags netgo,osusergo -o bin/whyhot-server ./cmd/whyhot-server

.PHONY: images
images: ## build bin/whyhot-images, the part that reads container images (for `whyhot images`)
	@scripts/deps build
	$(BUILD) -o bin/whyhot-images ./cmd/whyhot-images

.PHONY: demo
demo: build ## record real programs, say why they are hot, try the proposed changes, hunt (DEMO_HUNT=0: no hunt)
	@scripts/deps demo
	@scripts/demo

.PHONY: check
check: ## test and lint what a change touches (BASE=COMMIT: what differs from it)
	@scripts/check $(BASE)

.PHONY: test
test: ## install what is missing, run every test and the quick checks
	@scripts/test

.PHONY: lint
lint: analyzer $(LINT) ## every linter over everything: golangci-lint, clang-tidy, vulnerabilities, licences
	@scripts/deps test
	$(LINT) run --allow-serial-runners ./...
	scripts/lint-cpp
	scripts/lint-dependencies

.PHONY: rule-pages
rule-pages: build ## write the pages of all rules into build/rules, for a release
	bin/whyhot rules pages build/rules

.PHONY: release
release: analyzer ## write dist/: packages, archives, images, lists of contents, checksums (WHYHOT_RELEASE_KEY=FILE signs)
	@scripts/deps build server release
	$(GO) -C tools/release run . -root $(CURDIR) -out $(CURDIR)/dist -work $(CURDIR)/build/release

.PHONY: manifests
manifests: build server ## hold deploy/ against the types of Kubernetes, Prometheus's operator, Helm and Compose, and run its pods
	$(GO) -C tools/manifests test ./...

.PHONY: install-test
install-test: ## install dist/ in a clean root file system, use it, remove it (SUITE=bookworm)
	scripts/install-test dist $${SUITE:-bookworm}

.PHONY: soak
soak: build ## repeat the tests that record and time, and watch the agent for ten minutes
	@scripts/deps build demo test bench
	@scripts/soak

.PHONY: release-check
release-check: ## all that a release has to pass: test, lint, soak, fuzz, built twice, installed
	$(MAKE) test
	$(MAKE) lint
	$(MAKE) soak
	$(MAKE) fuzz
	$(MAKE) manifests
	$(GO) -C tools/release test ./...
	$(MAKE) release
	scripts/release-twice
	$(MAKE) install-test SUITE=bookworm
	$(MAKE) install-test SUITE=trixie

$(LINT): tools/golangci/go.mod
	@echo "building golangci-lint (once)"
	@mkdir -p $(@D)
	@GOBIN=$(CURDIR)/$(@D) $(GO) -C tools/golangci install github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	@touch $@

.PHONY: web
web: web/node_modules/.package-lock.json ## rebuild the bundles of the pages
	$(GO) generate ./internal/report/html ./internal/server/page

web/node_modules/.package-lock.json: web/package-lock.json
	@scripts/deps test
	cd web && npm ci --no-audit --no-fund --silent

.PHONY: vscode
vscode: ## build editors/vscode/whyhot.vsix, the extension for VS Code
	@scripts/deps test
	cd editors/vscode && npm ci --no-audit --no-fund --silent && npm run --silent package

.PHONY: fuzz
fuzz: ## fuzz every parser for a minute each (FUZZTIME=1m)
	@scripts/fuzz $${FUZZTIME:-1m}

.PHONY: pictures
pictures: build server ## make the pictures in docs/pictures from real output
	@scripts/deps demo test
	@scripts/pictures

.PHONY: clean
clean: ## remove everything that was built
	rm -rf bin build dist web/node_modules editors/vscode/node_modules editors/vscode/dist editors/vscode/whyhot.vsix
