# Sourced by tools/install-deps and tools/fetch-nginx.  Reads packages and
# sources from another suite of the archive that this machine uses already.  It
# does not touch /etc: it has its own source list, package lists and options.


# Prints the stanza or line of the configured distribution's main archive with
# its suite replaced: configured_source SUITE TYPE, TYPE deb or deb-src.
# The first line says the format: sources (deb822) or list (one line).

configured_source() {
    codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
    known="$codename stable oldstable testing unstable sid"

    for file in /etc/apt/sources.list.d/*.sources; do
        [ -f "$file" ] || continue

        awk -v known="$known" -v suite="$1" -v type="$2" '
            BEGIN {
                RS = ""; FS = "\n"
                n = split(known, k, " ")
            }
            {
                types = suites = enabled = out = ""
                for (i = 1; i <= NF; i++) {
                    if ($i ~ /^#/) continue
                    name = tolower($i); sub(/:.*/, "", name)
                    value = $i; sub(/^[^:]*:[ \t]*/, "", value)
                    if ($i !~ /^[ \t]/) {
                        if (name == "types") {
                            types = value; $i = "Types: " type
                        }
                        if (name == "suites") {
                            suites = " " value " "; $i = "Suites: " suite
                        }
                        if (name == "components") $i = "Components: main"
                        if (name == "enabled") enabled = tolower(value)
                    }
                    out = out $i "\n"
                }
                if (types !~ /(^| )deb( |$)/ || enabled == "no") next
                for (i = 1; i <= n; i++) {
                    if (index(suites, " " k[i] " ")) {
                        printf "sources\n%s", out
                        exit
                    }
                }
            }' "$file"
    done > "$APT_TMP"

    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ -f "$file" ] || continue

        awk -v known="$known" -v suite="$1" -v type="$2" '
            BEGIN { n = split(known, k, " ") }
            $1 == "deb" {
                at = 2
                if ($2 ~ /^\[/) {
                    while ($at !~ /\]$/ && at < NF) at++
                    at++
                }
                for (i = 1; i <= n; i++) {
                    if ($(at + 1) != k[i]) continue
                    line = type
                    for (j = 2; j <= at; j++) line = line " " $j
                    print "list\n" line, suite, "main"
                    exit
                }
            }' "$file"
    done >> "$APT_TMP"

    # several files may hold an archive: takes the first one
    awk 'NR > 1 && /^(sources|list)$/ { exit } { print }' "$APT_TMP"
}


# apt_suite SUITE TYPE DIR: fetches the package lists of the suite into DIR,
# and sets APT_OPTIONS for later calls of apt-get.  Returns 1 if the suite
# cannot be fetched.

apt_suite() {
    mkdir -p "$3/lists/partial" "$3/none" || return 1

    APT_TMP=$3/configured
    configured_source "$1" "$2" > "$3/found"
    format=$(sed -n 1p "$3/found")

    if [ -z "$format" ]; then
        echo "no source of this distribution's main archive" \
             "is configured for apt" >&2
        return 1
    fi

    sed 1d "$3/found" > "$3/suite.$format"

    APT_OPTIONS="-o Dir::Etc::sourcelist=$3/suite.$format
        -o Dir::Etc::sourceparts=$3/none
        -o Dir::Etc::preferences=$3/none/preferences
        -o Dir::Etc::preferencesparts=$3/none
        -o Dir::State::Lists=$3/lists
        -o Dir::Cache::pkgcache=
        -o Dir::Cache::srcpkgcache=
        -o APT::Default-Release=
        -o APT::Sandbox::User=
        -o Acquire::Languages=none
        -o Debug::NoLocking=1"

    if apt_lists "$3"; then
        return 0
    fi

    # the mirror is no longer updated: its lists are signed, but past their
    # date
    if grep -q 'is expired' "$3/update.log"; then
        echo "apt: the $1 suite here is an old one; taken as it is" >&2
        APT_OPTIONS="$APT_OPTIONS -o Acquire::Check-Valid-Until=false"
        apt_lists "$3" && return 0
    fi

    cat "$3/update.log" >&2
    return 1
}


apt_lists() {
    apt-get $APT_OPTIONS -qq update > "$1/update.log" 2>&1 \
        && ! grep -Eq '^E:|Failed to fetch' "$1/update.log"
}
