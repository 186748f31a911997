# Parley.  "make" lists the targets.

BUILD ?= release

ifeq ($(filter $(BUILD),release debug sanitize fuzz),)
$(error BUILD is release, debug or sanitize, not "$(BUILD)")
endif

MAKEFLAGS += --no-print-directory

ROOT := $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))

# each kind of build has its own directory
OUT_release = build
OUT_debug = build/debug
OUT_sanitize = build/sanitize
OUT_fuzz = build/fuzz
OUT ?= $(OUT_$(BUILD))

# seconds for each fuzz target; the demo ends after its scenario (ONCE=1); its
# port; the files that "make test" runs, and the number at a time: more than
# cores, as most tests wait
TIME ?= 60
ONCE ?=
PORT ?=
TESTS ?=
CORES := $(shell nproc)
JOBS ?= $(shell expr $(CORES) '*' 4)

CC_release = gcc
CC_debug = gcc
CC_sanitize = clang
CC_fuzz = clang
ifeq ($(origin CC),default)
CC := $(CC_$(BUILD))
endif

OPT_release = -O2 -g
OPT_debug = -O0 -g3
OPT_sanitize = -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined \
	-fno-sanitize-recover=undefined
OPT_fuzz = -O1 -g -fno-omit-frame-pointer \
	-fsanitize=address,undefined,fuzzer-no-link \
	-fno-sanitize-recover=undefined
OPT ?= $(OPT_$(BUILD))

# LTO=-flto=auto: optimises the module as a whole, as in Debian's package and in
# "make install".  A request then takes 2000 instructions less, and a third less
# misses of a 256 KB cache.  A link takes as long as a build.
LTO ?=
INSTALL_LTO ?= $(if $(filter release,$(BUILD)),$(if $(findstring gcc,$(CC)),-flto=auto))

# the module's code has these options, in nginx's build and in the library's
HARDEN = -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
CODE_release := $(HARDEN) $(shell tools/code-flags $(notdir $(CC)))

NGX_OPT_release = -O2 -g -fPIC $(HARDEN) -ffile-prefix-map=$(ROOT)=. $(LTO)
NGX_OPT_debug = -O0 -g3 -fPIC
NGX_OPT_sanitize = $(OPT_sanitize) -DNGX_DEBUG_PALLOC=1 \
	-fsanitize-ignorelist=$(ROOT)/t/sanitize.ignore
NGX_LD_debug = -Wl,-z,relro -Wl,-z,now
NGX_LD_release = $(NGX_LD_debug) $(LTO)
NGX_LD_sanitize = -fsanitize=address,undefined

WARN = -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes

PKG_CONFIG ?= pkg-config
PKGS = jansson libsodium libpcre2-8 libcrypto
PKG_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(PKGS) 2>/dev/null)
PKG_LIBS := $(shell $(PKG_CONFIG) --libs $(PKGS) 2>/dev/null)
ifeq ($(PKG_LIBS),)
PKG_LIBS := -ljansson -lsodium -lpcre2-8 -lcrypto
endif

# libwslay has no pkg-config file; that of hiredis adds a folder of short names
# of headers
PKG_LIBS += -Wl,--as-needed -lwslay -lhiredis -Wl,--no-as-needed

# more libraries of the unit tests: cmocka, and libjwt to compare tokens
TEST_LIBS = -lcmocka -ljwt -lm

# the list of library sources, which config reads too
SOURCES := $(shell sed 's/\#.*//' sources)
INCLUDES := -I.

HEADERS := $(shell find core schemas translate auth state http moqt hub gate ngx_module -name '*.h' -o -name '*.def')
MODULE_SOURCES := $(shell sed 's/\#.*//' ngx_module/sources)

# V=1 shows the compiler's commands
Q = $(if $(V),,@echo "  $(1) $@";)

ALL_CFLAGS = -std=gnu11 $(OPT) $(WARN) -fPIC $(INCLUDES) $(PKG_CFLAGS) \
	-MMD -MP $(CPPFLAGS) $(CFLAGS)

OBJ = $(OUT)/obj
LIB = $(OUT)/libparley.a
TOOL = $(OUT)/parley
PRINT = $(OUT)/print-mapping

# a sanitizer build has its own nginx, which contains the module
ifeq ($(BUILD),sanitize)
MODULE = $(OUT)/nginx
else
MODULE = $(OUT)/ngx_http_parley_module.so
endif

# A module whose state answers later.  "make test" uses it for the files that
# t/state.tsv marks "later".  "make test-all" runs every file that has a gateway
# with both modules.  A sanitizer build has only the module in its nginx.
LATER = $(if $(filter release,$(BUILD)),$(OUT)/later/ngx_http_parley_module.so)
# With such a state, a variable of the token that is used early has no value, a
# pushed mention has no thread window, and a turn takes other memory.
LATER_NOT = t/build.t t/config.t t/package.t t/proof.t t/proof-attack.t \
	t/proof-keys.t t/host-window.t t/host-sizing.t
LATER_TESTS = $(filter-out $(LATER_NOT),$(sort $(shell \
	grep -lE 'Parley::(Test|Nginx|Gateway|Streams|Matrix|Family|Pages)\b' t/*.t)))

# a module of the next version, whose values in a store have another format
NEXT = $(OUT)/next
NEXT_OBJS = $(patsubst state/%.c,$(NEXT)/%.o,state/parley_state.c \
	$(filter state/store/%,$(SOURCES)))
NEXT_MODULE = $(if $(filter release,$(BUILD)),$(NEXT)/ngx_http_parley_module.so)

# files whose gateways get a store by "make test-store"; a store needs a zone that
# answers at once, takes some of its octets, and has the records that it evicts
STORE_NOT = t/retain.t t/replay.t t/sizing.t
LATER_NOT += $(wildcard t/store*.t)
STORE_TESTS = $(filter-out $(LATER_NOT) $(STORE_NOT),$(sort $(shell \
	grep -lE 'Parley::(Nginx|Gateway|Streams|Matrix|Family|Pages)\b' t/*.t)))

LIB_OBJS := $(SOURCES:%.c=$(OBJ)/%.o)
$(LIB_OBJS): ALL_CFLAGS += $(CODE_$(BUILD))

# the public library: only the functions of parley.h are visible
VERSION := $(shell sed -n 's/^\#define PARLEY_VERSION  "\(.*\)"/\1/p' \
	translate/parley_engine.h)
SONAME = libparley.so.0
PUBLIC = $(OUT)/lib
PUBLIC_OBJS := $(patsubst %.c,$(OBJ)/%.o,$(wildcard lib/*.c))
PUBLIC_PARTS = $(filter-out $(OBJ)/http/parley_websocket.o \
	$(OBJ)/state/store/%.o $(OBJ)/moqt/%.o $(OBJ)/gate/link/%.o,$(LIB_OBJS))
PUBLIC_LIBS = $(PUBLIC)/libparley.so.$(VERSION) $(PUBLIC)/libparley.a
TOOL_SOURCES := $(wildcard tools/parley*.c)
TOOL_OBJS := $(TOOL_SOURCES:%.c=$(OBJ)/%.o)
PRINT_SOURCES := $(wildcard tools/print_mapping*.c)
PRINT_OBJS := $(PRINT_SOURCES:%.c=$(OBJ)/%.o)
UNIT_SOURCES := $(wildcard t/unit/test_*.c)
UNIT_OBJS := $(UNIT_SOURCES:%.c=$(OBJ)/%.o)
UNIT_TESTS := $(UNIT_SOURCES:%.c=$(OUT)/%)
UNIT_SHARED := $(wildcard t/unit/parley_test*.c) \
	$(wildcard t/later/parley_*.c)
UNIT_SHARED_OBJS := $(UNIT_SHARED:%.c=$(OBJ)/%.o)
UNIT_LIB = $(OUT)/t/unit/libparley_test.a
FUZZ_SOURCES := $(wildcard t/fuzz/fuzz_*.c)

# The library with one more protocol.  Files that depend on the list of protocols
# or on their member names are compiled again; the others are the library's.
TOY = $(OUT)/toy
TOY_SOURCES := $(filter translate/% core/parley_atoms.c,$(SOURCES)) $(wildcard t/toy/*.c)
TOY_OBJS := $(TOY_SOURCES:%.c=$(TOY)/%.o) $(TOY)/parley_schema_text.o
TOY_TEST = $(OUT)/t/toy/test_toy
UNIT_TESTS += $(TOY_TEST)

# the hub in a simulated world, where a process can die at any edge of the code
# that changes the state
SIMULATE = $(OUT)/t/simulate/simulate
SIMULATE_OBJS := $(patsubst %.c,$(OBJ)/%.o,$(wildcard t/simulate/*.c \
	t/later/parley_*.c))
MUTANTS := $(patsubst %,$(OUT)/t/simulate/mutant-%,\
	$(shell t/simulate/mutate --list))
SIMULATE_EDGES := $(patsubst %.c,$(OBJ)/t/simulate/edges/%.o,\
	state/memory/parley_memory_append.c state/memory/parley_memory_log.c \
	state/memory/parley_memory_feed.c state/memory/parley_memory_roster.c \
	state/memory/parley_memory_job.c \
	state/memory/parley_memory_due.c state/memory/parley_memory_lane.c \
	state/memory/parley_table.c state/memory/parley_table_share.c \
	state/memory/parley_table_wheel.c \
	state/memory/parley_memory_admit.c state/memory/parley_memory_settle.c \
	state/memory/parley_memory_record.c \
	gate/admission/parley_suspension.c gate/delivery/parley_deadline.c \
	gate/delivery/parley_escalation.c gate/delivery/parley_timeout.c \
	gate/delivery/parley_deadline_job.c \
	gate/correlation/parley_question_raised.c \
	state/memory/parley_memory_append_recover.c \
	state/memory/parley_memory_log_read.c \
	state/memory/parley_memory_process.c)

# the store of several nodes in a simulated world, over a model of the engine
# that runs the store's library
SIMULATE_STORE = $(OUT)/t/simulate-store/simulate-store
SIMULATE_STORE_OBJS := $(patsubst %.c,$(OBJ)/%.o,\
	$(filter-out %/compare.c,$(wildcard t/simulate-store/*.c)) \
	t/simulate/parley_sim_play.c)
SIMULATE_ENGINE = $(OUT)/t/simulate-store/compare
SIMULATE_ENGINE_OBJS := $(patsubst %.c,$(OBJ)/%.o,t/simulate-store/compare.c \
	$(wildcard t/simulate-store/parley_engine*.c))
# connections of agents over MoQ
SIMULATE_LINK = $(OUT)/t/simulate-link/simulate-link
SIMULATE_LINK_OBJS := $(patsubst %.c,$(OBJ)/%.o,\
	$(wildcard t/simulate-link/*.c) t/simulate/parley_sim_play.c)
LUA_CFLAGS = $(shell $(PKG_CONFIG) --cflags lua5.1)
LUA_LIBS = $(shell $(PKG_CONFIG) --libs lua5.1)
FUZZ_MAIN = $(OBJ)/t/fuzz/parley_fuzz_main.o
FUZZ_OBJS := $(FUZZ_SOURCES:%.c=$(OBJ)/%.o) $(FUZZ_MAIN)
FUZZ_TARGETS := $(FUZZ_SOURCES:%.c=$(OUT)/%)


.PHONY: help
help: ## This list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-20s %s\n", $$1, $$2 }' \
		Makefile
	@echo
	@echo "  BUILD=release (default), debug or sanitize (ASan and UBSan)"


.PHONY: build lib public-lib module tool unit
build: lib module tool ## The library, the module and the tool, into build/
lib: $(LIB) ## build/libparley.a
module: $(MODULE) ## build/ngx_http_parley_module.so, for the installed nginx
tool: $(TOOL) ## build/parley
unit: $(UNIT_TESTS) ## The unit tests alone
	prove $(or $(UNIT_TESTS),$(error there is no t/unit/test_*.c))


.PHONY: run
run: ## A demo over TLS on loopback, PORT=8443; ONCE=1 ends after the scenario
	tools/install-deps run
	$(MAKE) -j$(CORES) build
	ONCE=$(ONCE) PORT=$(PORT) examples/demo/run


.PHONY: run-cluster
run-cluster: ## A demo of two gateways on one store; ONCE=1 ends after the scenario
	tools/install-deps run cluster
	$(MAKE) -j$(CORES) build
	ONCE=$(ONCE) examples/demo/run-cluster


# the sanitizer build needs clang, whose reports can be written to files
DEPS = test $(if $(filter sanitize,$(BUILD)),fuzz)

.PHONY: test test-all test-built test-later check mapping conformance
test: ## All tests under one prove, or TESTS="t/a.t ..."
	tools/install-deps $(DEPS)
	$(MAKE) check
	$(MAKE) test-built

# of a whole run, at most four files that failed run once more, alone
RETRY = $(if $(TESTS),,-r 4)

# the state in shared memory answers at once; a state over a network answers later
test-all: ## As test, each file with both kinds of state; mutants, other nginx
	tools/install-deps $(DEPS)
	$(MAKE) check
	$(MAKE) test-built ALL=1
	$(if $(LATER),$(MAKE) test-later TESTS="$(TESTS)")

test-built:
	$(MAKE) -j$(CORES) test-programs
	tools/fetch-schema-suite
	$(if $(ALL),PARLEY_TEST_ALL=1) tools/run-tests -j $(JOBS) \
		$(if $(LATER),$(if $(ALL),,-l $(abspath $(LATER)))) $(RETRY) \
		$(OUT) $(or $(TESTS),$(UNIT_TESTS) t/*.t)

test-later: ## Tests with a gateway, or TESTS=, with a state that answers later
	$(MAKE) -j$(CORES) build $(LATER)
	PARLEY_MODULE=$(abspath $(LATER)) \
		tools/run-tests -j $(JOBS) -t tap-later $(RETRY) $(OUT) $(or $(TESTS),$(LATER_TESTS))

.PHONY: test-store
test-store: ## Tests with a gateway, or TESTS=, with a store in a real engine
	$(MAKE) -j$(CORES) build
	tools/run-tests -s -j $(JOBS) -t tap-store $(RETRY) $(OUT) \
		$(or $(TESTS),$(STORE_TESTS))

.PHONY: test-moq
test-moq: ## The tests of MoQ, or TESTS=; on Debian 12 in a root of Debian 13
	command -v nginx > /dev/null || tools/install-deps
	nginx -V 2>&1 | grep -q -- --with-http_v3_module || tools/install-deps matrix
	BUILD=$(BUILD) tools/test-moq $(TESTS)

.PHONY: test-programs
test-programs: build $(UNIT_TESTS) $(FUZZ_TARGETS) $(SIMULATE) $(SIMULATE_STORE) $(SIMULATE_ENGINE) $(SIMULATE_LINK) $(PRINT) $(LATER) $(NEXT_MODULE)

check: ## Static checks: rooms, calls, prose, docs, exports
	tools/check
	$(MAKE) module
	tools/check-calls $(OUT)
	$(addprefix tools/check-exports ,$(filter %.so,$(MODULE)))

mapping: $(PRINT) ## Writes the tables of docs/mapping.md and docs/mapping/
	tools/print-mapping $(OUT)

conformance: ## Runs the tests and writes docs/conformance.md
	tools/install-deps $(DEPS) deb matrix
	$(MAKE) build
	rm -rf $(OUT)/tap $(OUT)/tap-later
	status=0; \
	PARLEY_PACKAGE=1 $(MAKE) test-built ALL=1 || status=1; \
	$(if $(LATER),$(MAKE) test-later || status=1;) \
	tools/test-moq || [ $$? = 77 ] || status=1; \
	tools/conformance $(OUT)/tap $(if $(LATER),$(OUT)/tap-later) \
		$$(ls -d $(OUT)/tap-moq) > $(OUT)/conformance.md || exit 1; \
	cp $(OUT)/conformance.md docs/conformance.md; exit $$status


# for matrix: a source tree of nginx instead of Debian's; tests; Debian suites
NGINX_SRC ?=
SUITES ?=

.PHONY: matrix
matrix: ## nginx 1.22, 1.26, the newest or NGINX_SRC=; Debian's packages
	tools/install-deps test matrix
	$(MAKE) build
	OUT=$(OUT) NGINX_SRC=$(NGINX_SRC) TESTS="$(TESTS)" SUITES="$(SUITES)" \
		tools/matrix $(if $(NGINX_SRC),nginx)


# for differential: the number of messages, a seed, one of the configurations
N ?= 50000
SEED ?= $(shell date +%s)
CONFIG ?=

.PHONY: differential
differential: build ## nginx and "parley explain" on N=50000 random messages
	PARLEY_BUILD=$(OUT) PARLEY_TEST_SEED=$(SEED) PARLEY_TEST_MESSAGES=$(N) \
		$(if $(CONFIG),PARLEY_TEST_CONFIG=$(CONFIG)) \
		prove -v -I t/lib t/differential.t


.PHONY: soak soak-store soak-moq
soak: ## Streams and chat for TIME=600 seconds: reloads, killed workers
	tools/install-deps $(DEPS)
	$(MAKE) build
	SOAK_TIME=$(or $(TIME),600) tools/run-tests -j 1 $(OUT) t/soak.t t/soak-host.t

soak-store: ## Gateways with one store for TIME=600 seconds: failovers
	tools/install-deps $(DEPS)
	$(MAKE) build
	SOAK_TIME=$(or $(TIME),600) tools/run-tests -j 1 $(OUT) t/soak-store.t

soak-moq: ## Agents over MoQ for TIME=600 seconds (an nginx with QUIC)
	SOAK_TIME=$(or $(TIME),600) tools/test-moq t/soak-moq.t


.PHONY: simulate simulate-store simulate-link mutants mutants-store mutants-link
simulate: $(SIMULATE) ## Histories of hub and host for TIME=60 s, or N=; SEED=
	$(SIMULATE) -s $(SEED) $(if $(filter command line,$(origin N)),-n $(N),\
		-t $(TIME))
	$(SIMULATE) -c -s $(SEED) $(if $(filter command line,$(origin N)),-n $(N),\
		-t $(TIME))

simulate-store: $(SIMULATE_STORE) ## Histories of gateways with one store, as simulate
	$(SIMULATE_STORE) -s $(SEED) $(if $(filter command line,$(origin N)),-n $(N),\
		-t $(TIME))

simulate-link: $(SIMULATE_LINK) ## Histories of connections over MoQ, as simulate
	$(SIMULATE_LINK) -s $(SEED) $(if $(filter command line,$(origin N)),-n $(N),\
		-t $(TIME))

# several tests build them at the same time
mutants: $(filter-out $(addprefix $(OUT)/t/simulate/mutant-,store-% link-%),$(MUTANTS))
mutants-link: $(filter $(OUT)/t/simulate/mutant-link-%,$(MUTANTS))
mutants-store: $(filter $(OUT)/t/simulate/mutant-store-%,$(MUTANTS))


.PHONY: fuzz fuzz-targets
fuzz: ## Every fuzz target for TIME=60 seconds; fails on a crash
	tools/install-deps fuzz
	$(MAKE) BUILD=fuzz fuzz-targets
	tools/fuzz $(TIME) $(FUZZ_SOURCES:%.c=$(OUT_fuzz)/%)

fuzz-targets: $(FUZZ_TARGETS)


# "make install INSTALLED=build/pgo/ngx_http_parley_module.so" installs it.
# -fprofile-partial-training: code that the benchmark does not run is compiled as
# without a profile.
PGO = $(OUT)/pgo
PGO_MODULE = $(PGO)/ngx_http_parley_module.so
PROFILE = $(abspath $(PGO))/profile
PGO_GENERATE = -fprofile-generate=$(PROFILE) -fprofile-update=prefer-atomic
PGO_USE = -fprofile-use=$(PROFILE) -fprofile-correction \
	-fprofile-partial-training -Wno-missing-profile

.PHONY: pgo
pgo: ## The module with the profile of a benchmark, into build/pgo/ (slow)
	tools/install-deps bench
	$(MAKE) build
	rm -rf $(PGO)
	$(MAKE) OUT=$(PGO) LTO="-flto=auto $(PGO_GENERATE)" $(PGO_MODULE)
	PARLEY_MODULE=$(abspath $(PGO_MODULE)) bench/train
	rm -f $(PROFILE)/*autotest* $(PGO_MODULE)
	$(MAKE) OUT=$(PGO) LTO="-flto=auto $(PGO_USE)" $(PGO_MODULE)


.PHONY: bench bench-instructions bench-streams bench-sockets bench-deliver
.PHONY: bench-pass bench-chat bench-mailboxes bench-store bench-moq
bench: ## Benchmarks against the peers; writes docs/performance.md
	tools/install-deps bench
	$(MAKE) build
	bench/run

bench-instructions: ## Instruction counts by callgrind, against their budget
	tools/install-deps bench
	$(MAKE) build
	bench/instructions

bench-streams: ## Streams compared with nchan; writes that part of the page
	tools/install-deps bench
	$(MAKE) build
	bench/streams

bench-sockets: ## WebSockets compared with proxy_pass; writes that part of the page
	tools/install-deps test bench
	$(MAKE) build
	bench/sockets

bench-deliver: ## Deliveries compared with proxy_pass; writes that part of the page
	tools/install-deps bench
	$(MAKE) build
	bench/deliver

bench-chat: ## The host of chat compared with nginx alone
	tools/install-deps bench
	$(MAKE) build
	bench/chat

bench-mailboxes: ## Mailboxes of chat: offers, lists, claims, octets
	tools/install-deps bench
	$(MAKE) build
	bench/mailboxes

bench-store: ## A store compared with a zone alone; writes that part of the page
	tools/install-deps test bench
	$(MAKE) build
	bench/store

bench-moq: ## MoQ compared with HTTP/3; on Debian 12 in a root of Debian 13
	tools/with-quic -k docs/performance.md "moq bench" "make build; bench/moq"

bench-pass: ## Files and streams of services compared with nginx alone
	tools/install-deps bench
	$(MAKE) build
	bench/pass


# folders of the installation; the module goes to nginx's folder of modules
prefix ?= /usr/local
bindir ?= $(prefix)/bin
libdir ?= $(prefix)/lib
includedir ?= $(prefix)/include
mandir ?= $(prefix)/share/man
bashdir ?= $(prefix)/share/bash-completion/completions
zshdir ?= $(prefix)/share/zsh/site-functions
fishdir ?= $(prefix)/share/fish/vendor_completions.d
modulesdir ?= $(or $(shell nginx -V 2>&1 \
	| sed -n 's/.*--modules-path=\([^ ]*\).*/\1/p'),/usr/lib/nginx/modules)
INSTALL ?= install

.PHONY: install install-module install-tool install-lib deb
install: install-module install-tool ## Installs all; DESTDIR=, prefix=/usr/local

# INSTALL_LTO= installs the module of "make build"
INSTALLED = $(if $(INSTALL_LTO),$(OUT)/lto/ngx_http_parley_module.so,$(MODULE))

install-module: $(INSTALLED)
	$(INSTALL) -d $(DESTDIR)$(modulesdir)
	$(INSTALL) -m 644 $(INSTALLED) $(DESTDIR)$(modulesdir)

install-tool: $(TOOL)
	$(INSTALL) -d $(DESTDIR)$(bindir) $(DESTDIR)$(mandir)/man1 \
		$(addprefix $(DESTDIR),$(bashdir) $(zshdir) $(fishdir))
	$(INSTALL) $(TOOL) $(DESTDIR)$(bindir)
	$(INSTALL) -m 644 docs/parley.1 $(DESTDIR)$(mandir)/man1
	$(INSTALL) -m 644 tools/completion/parley.bash \
		$(DESTDIR)$(bashdir)/parley
	$(INSTALL) -m 644 tools/completion/_parley $(DESTDIR)$(zshdir)
	$(INSTALL) -m 644 tools/completion/parley.fish $(DESTDIR)$(fishdir)

install-lib: public-lib ## Installs libparley, its header and pkg-config file
	$(INSTALL) -d $(DESTDIR)$(libdir)/pkgconfig $(DESTDIR)$(includedir)
	$(INSTALL) -m 644 $(PUBLIC_LIBS) $(DESTDIR)$(libdir)
	ln -sf libparley.so.$(VERSION) $(DESTDIR)$(libdir)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(libdir)/libparley.so
	$(INSTALL) -m 644 lib/parley.h $(DESTDIR)$(includedir)
	sed -e 's|@prefix@|$(prefix)|; s|@libdir@|$(libdir)|' \
		-e 's|@includedir@|$(includedir)|; s|@version@|$(VERSION)|' \
		lib/libparley.pc.in > $(DESTDIR)$(libdir)/pkgconfig/libparley.pc

deb: ## Debian packages of the module and of the tool, into build/
	tools/install-deps deb
	rm -rf build/deb
	mkdir -p build/deb/parley
	tar -c --exclude=./build --exclude=./.git . | tar -x -C build/deb/parley
	cd build/deb/parley && dpkg-buildpackage -us -uc -b
	mv build/deb/*.deb build/


.PHONY: format install-deps clean dist-clean
format: ## Corrects white space
	tools/check-format --fix

install-deps: ## Installs missing packages (Debian 12 or 13, root)
	tools/install-deps

clean: ## Removes the builds; keeps nginx's sources
	[ ! -d build ] || find build -mindepth 1 -maxdepth 1 \
		! -name nginx-src -exec rm -rf {} +

dist-clean: ## Removes build/
	rm -rf build


$(LIB): $(LIB_OBJS) sources
	@mkdir -p $(@D)
	@rm -f $@
	$(call Q,AR)$(AR) rcs $@ $(LIB_OBJS)

public-lib: $(PUBLIC_LIBS) ## libparley, shared and static, into build/lib/

$(PUBLIC)/libparley.so.$(VERSION): $(PUBLIC_OBJS) $(LIB) lib/parley.map
	@mkdir -p $(@D)
	$(call Q,LD)$(CC) $(OPT) -shared -Wl,-soname,$(SONAME) \
		-Wl,--version-script=lib/parley.map $(LDFLAGS) -o $@ \
		$(PUBLIC_OBJS) $(LIB) $(PKG_LIBS)

# one object; its other symbols become local
$(PUBLIC)/libparley.a: $(PUBLIC_OBJS) $(PUBLIC_PARTS) lib/parley.map
	@mkdir -p $(@D)
	$(call Q,AR)ld -r -o $(@:.a=.o) $(PUBLIC_OBJS) $(PUBLIC_PARTS)
	@sed -n 's/^ *\(parley_[a-z_]*\);/\1/p' lib/parley.map > $(@:.a=.syms)
	@objcopy --keep-global-symbols=$(@:.a=.syms) $(@:.a=.o)
	@rm -f $@
	@$(AR) rcs $@ $(@:.a=.o)

$(OBJ)/lib/%.o: ALL_CFLAGS += -Ilib
$(OBJ)/t/unit/test_libparley.o: ALL_CFLAGS += -Ilib

# to a new name, as a test may run the old one
$(TOOL): $(TOOL_OBJS) $(LIB)
	$(call Q,LD)$(CC) $(OPT) $(LDFLAGS) -o $@.new $(TOOL_OBJS) $(LIB) -lcurl $(PKG_LIBS)
	@mv $@.new $@

$(PRINT): $(PRINT_OBJS) $(LIB)
	@mkdir -p $(@D)
	$(call Q,LD)$(CC) $(OPT) $(LDFLAGS) -o $@ $(PRINT_OBJS) $(LIB) $(PKG_LIBS)

MODULE_DEPS = config sources ngx_module/sources \
	$(wildcard ngx_module/*.map ngx_module/*.ld) tools/code-flags \
	$(SOURCES) $(MODULE_SOURCES) $(HEADERS) tools/build-nginx

# The module links the library that the tool has, except for an optimisation of
# the whole, which needs its sources.
LIBRARY = $(if $(LTO),,$(LIB))
BUILD_NGINX = PARLEY_LIBRARY=$(abspath $(LIBRARY)) CC=$(CC) tools/build-nginx

$(OUT)/ngx_http_parley_module.so: $(MODULE_DEPS) $(LIBRARY)
	@mkdir -p $(@D)
	$(call Q,NGX)$(BUILD_NGINX) module /usr/share/nginx/src $(OUT)/nginx-module \
		"$(NGX_OPT_$(BUILD))" "$(NGX_LD_$(BUILD))"
	@install -m 644 $(OUT)/nginx-module/objs/ngx_http_parley_module.so $@.new
	@mv $@.new $@     # keeps a file that nginx has mapped

$(OUT)/lto/ngx_http_parley_module.so: $(MODULE_DEPS)
	+$(MAKE) OUT=$(OUT)/lto LTO=$(INSTALL_LTO) $@

# The module with the next format of the store's values is never installed.  It
# differs from the module in the store and in the number of the format.
$(NEXT)/%.c: state/%.c t/next/format.sed
	@mkdir -p $(@D)
	@sed -f t/next/format.sed $< > $@

.SECONDARY: $(NEXT_OBJS:.o=.c)

$(NEXT)/%.o: $(NEXT)/%.c Makefile
	$(call Q,CC)$(CC) $(ALL_CFLAGS) $(CODE_$(BUILD)) -DPARLEY_STATE_FORMAT="'2'" \
		'-DPARLEY_STORE_BETWEEN(format)=((format) == 50 ? 4 : 0)' \
		-DPARLEY_STORE_BETWEEN_MAX=4 -c -o $@ $<

$(NEXT)/libparley.a: $(NEXT_OBJS) $(LIB)
	@for word in "parley_2" "'1', '2'" "'next'"; do \
		grep -q "$$word" $(NEXT)/store/parley_store_library.c \
		|| { echo "t/next/format.sed: no $$word" >&2; exit 1; }; done
	@rm -f $@
	$(call Q,AR)$(AR) rcs $@ $(NEXT_OBJS) $(filter-out \
		$(NEXT_OBJS:$(NEXT)/%=$(OBJ)/state/%),$(LIB_OBJS))

$(NEXT)/ngx_http_parley_module.so: $(OUT)/ngx_http_parley_module.so $(NEXT)/libparley.a
	@rm -rf $(OUT)/nginx-next && cp -a $(OUT)/nginx-module $(OUT)/nginx-next
	$(call Q,NGX)PARLEY_LIBRARY=$(abspath $(NEXT)/libparley.a) CC=$(CC) \
		tools/build-nginx module /usr/share/nginx/src $(OUT)/nginx-next \
		"$(NGX_OPT_$(BUILD))" "$(NGX_LD_$(BUILD))"
	@cp $(OUT)/nginx-next/objs/ngx_http_parley_module.so $@

# The module whose state answers later is never installed.  It differs from the
# module in a few files, so its build begins with the module's objects.
$(OUT)/later/ngx_http_parley_module.so: $(OUT)/ngx_http_parley_module.so $(wildcard t/later/*.[ch])
	@mkdir -p $(@D)
	@rm -rf $(OUT)/nginx-later && cp -a $(OUT)/nginx-module $(OUT)/nginx-later
	$(call Q,NGX)PARLEY_STATE=later $(BUILD_NGINX) module \
		/usr/share/nginx/src $(OUT)/nginx-later \
		"$(NGX_OPT_$(BUILD))" "$(NGX_LD_$(BUILD))"
	@cp $(OUT)/nginx-later/objs/ngx_http_parley_module.so $@

$(OUT)/nginx: $(MODULE_DEPS) $(LIBRARY)
	@mkdir -p $(@D)
	$(call Q,NGX)tree=`tools/fetch-nginx installed` && \
	$(BUILD_NGINX) static "$$tree" $(OUT)/nginx-tree \
		"$(NGX_OPT_$(BUILD))" "$(NGX_LD_$(BUILD))"
	@install $(OUT)/nginx-tree/objs/nginx $@.new && mv $@.new $@

$(OBJ)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call Q,CC)$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(OBJ)/tools/parley_version.o: ALL_CFLAGS += -DPARLEY_BUILD='"$(BUILD)"'

$(OBJ)/t/fuzz/%.o: ALL_CFLAGS += -Wno-missing-prototypes

# code that several unit tests share
$(UNIT_LIB): $(UNIT_SHARED_OBJS)
	@mkdir -p $(@D)
	@rm -f $@
	$(call Q,AR)$(AR) rcs $@ $(UNIT_SHARED_OBJS)

$(OUT)/t/unit/test_libparley: $(OBJ)/t/unit/test_libparley.o $(PUBLIC_OBJS) \
		$(UNIT_LIB) $(LIB)
	@mkdir -p $(@D)
	$(call Q,LD)$(CC) $(OPT) $(LDFLAGS) -o $@ $^ $(TEST_LIBS) $(PKG_LIBS)

$(OUT)/t/unit/test_%: $(OBJ)/t/unit/test_%.o $(UNIT_LIB) $(LIB)
	@mkdir -p $(@D)
	$(call Q,LD)$(CC) $(OPT) $(LDFLAGS) -o $@ $^ $(TEST_LIBS) $(PKG_LIBS)

$(TOY)/parley_atoms.h: tools/print-atoms $(shell find core schemas translate auth state http moqt hub gate ngx_module -name '*.[ch]' -o -name '*.def') $(wildcard t/toy/*)
	@mkdir -p $(@D)
	$(call Q,GEN)tools/print-atoms --with t/toy --out $@

$(TOY)/parley_schema_text.c: tools/embed-schemas \
		$(wildcard schemas/*.json t/toy/*.json)
	@mkdir -p $(@D)
	$(call Q,GEN)tools/embed-schemas --with t/toy --out $@

TOY_CFLAGS = $(ALL_CFLAGS) -O0 -include t/toy/parley_protocols_more.h \
	-include $(TOY)/parley_atoms.h

$(TOY)/%.o: %.c $(TOY)/parley_atoms.h
	@mkdir -p $(@D)
	$(call Q,CC)$(CC) $(TOY_CFLAGS) -c -o $@ $<

$(TOY)/parley_schema_text.o: $(TOY)/parley_schema_text.c
	$(call Q,CC)$(CC) $(TOY_CFLAGS) -c -o $@ $<

$(TOY_TEST): $(TOY_OBJS) $(LIB)
	@mkdir -p $(@D)
	$(call Q,LD)$(CC) $(OPT) $(LDFLAGS) -o $@ $^ $(TEST_LIBS) $(PKG_LIBS)

$(OBJ)/t/simulate/edges/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call Q,CC)$(CC) $(ALL_CFLAGS) -fsanitize-coverage=trace-pc -c -o $@ $<

$(SIMULATE): $(SIMULATE_OBJS) $(SIMULATE_EDGES) $(LIB)
	@mkdir -p $(@D)
	$(call Q,LD)$(CC) $(OPT) $(LDFLAGS) -o $@ $^ $(PKG_LIBS)

$(OBJ)/t/simulate-store/%.o: ALL_CFLAGS += $(LUA_CFLAGS)

$(SIMULATE_STORE): $(SIMULATE_STORE_OBJS) $(LIB)
	@mkdir -p $(@D)
	$(call Q,LD)$(CC) $(OPT) $(LDFLAGS) -o $@ $^ $(PKG_LIBS) $(LUA_LIBS)

$(SIMULATE_LINK): $(SIMULATE_LINK_OBJS) $(LIB)
	@mkdir -p $(@D)
	$(call Q,LD)$(CC) $(OPT) $(LDFLAGS) -o $@ $^ $(PKG_LIBS)

$(SIMULATE_ENGINE): $(SIMULATE_ENGINE_OBJS) $(LIB)
	@mkdir -p $(@D)
	$(call Q,LD)$(CC) $(OPT) $(LDFLAGS) -o $@ $^ $(PKG_LIBS) $(LUA_LIBS)

# a mutant has one object with changed code (t/simulate/mutants.tsv)
$(OUT)/t/simulate/mutant-store-%: $(SIMULATE_STORE) t/simulate/mutants.tsv
	$(call Q,CC)file=`t/simulate/mutate --file store-$*` && \
	t/simulate/mutate store-$* > $@.c && \
	case $$file in *.lua) tools/embed-library $@.c $@.c;; esac && \
	$(CC) $(ALL_CFLAGS) -O1 -w -c -o $@.o $@.c && \
	$(CC) $(OPT) $(LDFLAGS) -o $@ $@.o $(SIMULATE_STORE_OBJS) $(LIB) $(PKG_LIBS) \
		$(LUA_LIBS)

$(OUT)/t/simulate/mutant-link-%: $(SIMULATE_LINK) t/simulate/mutants.tsv
	$(call Q,CC)file=`t/simulate/mutate --file link-$*` && \
	t/simulate/mutate link-$* > $@.c && \
	$(CC) $(ALL_CFLAGS) -O1 -w -c -o $@.o $@.c && \
	$(CC) $(OPT) $(LDFLAGS) -o $@ $@.o $(SIMULATE_LINK_OBJS) $(LIB) $(PKG_LIBS)

$(OUT)/t/simulate/mutant-%: $(SIMULATE) t/simulate/mutants.tsv
	$(call Q,CC)file=`t/simulate/mutate --file $*` && \
	t/simulate/mutate $* > $@.c && \
	case $$file in gate/*|state/*) edges=-fsanitize-coverage=trace-pc;; esac && \
	$(CC) $(ALL_CFLAGS) -O1 -w $$edges -c -o $@.o $@.c && \
	others=`printf '%s\n' $(SIMULATE_EDGES) \
		| grep -v "/$${file##*/}" | grep -v "/$$(basename $$file .c).o"` && \
	$(CC) $(OPT) $(LDFLAGS) -o $@ $@.o $(SIMULATE_OBJS) $$others $(LIB) $(PKG_LIBS)

# libFuzzer has a main(); other builds run each target once with each seed
$(OUT)/t/fuzz/fuzz_%: $(OBJ)/t/fuzz/fuzz_%.o \
		$(if $(filter fuzz,$(BUILD)),,$(FUZZ_MAIN)) $(LIB)
	@mkdir -p $(@D)
	$(call Q,LD)$(CC) $(OPT) $(if $(filter fuzz,$(BUILD)),-fsanitize=fuzzer) \
		$(LDFLAGS) -o $@ $^ $(PKG_LIBS)

.SECONDARY: $(SIMULATE_OBJS) $(SIMULATE_EDGES) $(SIMULATE_STORE_OBJS) $(SIMULATE_LINK_OBJS) $(SIMULATE_ENGINE_OBJS) $(UNIT_OBJS) $(FUZZ_OBJS)

-include $(LIB_OBJS:.o=.d) $(PUBLIC_OBJS:.o=.d) $(TOOL_OBJS:.o=.d) $(PRINT_OBJS:.o=.d) $(UNIT_OBJS:.o=.d) \
	$(UNIT_SHARED_OBJS:.o=.d) $(FUZZ_OBJS:.o=.d) $(TOY_OBJS:.o=.d) \
	$(SIMULATE_OBJS:.o=.d) $(SIMULATE_STORE_OBJS:.o=.d) $(SIMULATE_LINK_OBJS:.o=.d) $(SIMULATE_ENGINE_OBJS:.o=.d) $(SIMULATE_EDGES:.o=.d) $(NEXT_OBJS:.o=.d)
