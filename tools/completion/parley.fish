# Completion of parley(1) for fish.  The help of the tool gives the commands
# and options.

function __parley_tool
    set -l words (commandline -opc)
    $words[1] $argv 2>/dev/null
end

# prints the typed words of the command: none, one or two
function __parley_words
    set -l words (commandline -opc)
    set -e words[1]

    string match -q -- '-*' "$words[1]"; and return

    if test (count $words) -gt 1; and contains -- "$words[1..2]" \
            (__parley_tool --help | string replace -rf '^  ([a-z]+ [a-z]+)  .*' '$1')
        printf '%s\n' $words[1..2]
    else if test (count $words) -gt 0
        echo $words[1]
    end
end

# prints how many words of a command are missing: 1 or 2, or the second of two
function __parley_wants
    set -l words (commandline -opc)
    set -l n (math (count $words) - 1)
    set -l first $words[2]
    set -l two (__parley_tool --help \
        | string replace -rf '^  ([a-z]+) [a-z]+  .*' '$1')

    switch $argv[1]
        case first
            test $n -eq 0; or test $n -eq 1 -a "$first" = help
        case second
            if test "$first" = help
                test $n -eq 2; and contains -- "$words[3]" $two
            else
                test $n -eq 1; and contains -- "$first" $two
            end
        case none
            test $n -ge 1; and test "$first" != help
            and begin
                not contains -- "$first" $two; or test $n -ge 2
            end
    end
end

# prints "validate	Says whether a message is valid"; of two words the first
function __parley_first
    set -l help (__parley_tool --help)

    string replace -rf '^  ([a-z]+)  +(.*)' '$1\t$2' -- $help
    string replace -rf '^  ([a-z]+) [a-z]+  .*' '$1' -- $help | sort -u
end

function __parley_second
    set -l words (commandline -opc)
    set -l first $words[2]
    test "$first" = help; and set first $words[3]

    __parley_tool --help \
        | string replace -rf "^  $first "'([a-z]+)  +(.*)' '$1\t$2'
end

# prints each option of the command, with the first line of its help
function __parley_options
    set -l help (__parley_tool (__parley_words) --help)
    set -l i 1

    while test $i -le (count $help)
        set -l line $help[$i]
        set -l text $help[(math $i + 1)]
        set i (math $i + 1)

        string match -qr -- '^  (-[a-z], |    )--' $line; or continue

        set -l option (string match -r -- '--[a-z-]+' $line)
        set -l letter (string match -r -- '^  (-[a-z]),' $line)[2]

        # a long name has its text on the next line
        set -l beside (string match -rg -- '^ +-.*?[^ ] {2,}([^ ].*)$' $line)
        test -n "$beside"; and set text $beside
        set text (string trim -- "$text")

        printf '%s\t%s\n' $option "$text"
        test -n "$letter"; and printf '%s\t%s\n' $letter "$text"
    end
end

# prints the name that the help of the command gives to the previous option's
# value: FILE
function __parley_argument
    set -l words (commandline -opc)
    set -l option $words[-1]

    string match -q -- '-*' $option; or return 1

    __parley_tool (__parley_words) --help \
        | string replace -rf -- '^ .* *'$option' ([A-Z]+).*' '$1'
end

function __parley_values
    set -l words (commandline -opc)

    switch $words[-1]
        case --as --from --to
            __parley_tool -V | string replace -rf '^protocols: ' '' \
                | string split ' '
        case --loss
            printf '%s\n' report reject ignore
        case --type -t
            printf '%s\n' cmd data stream heartbeat
        case --alg
            printf '%s\n' ed25519 es256 es384 es512 rs256 rs384 rs512 ps256 \
                ps384 ps512 hs256 hs384 hs512
        case --limit
            printf '%s\n' body= string= depth= members=
        case '*'
            switch "$(__parley_argument)"
                case FILE
                    __fish_complete_path (commandline -ct)
                case FOLDER
                    __fish_complete_directories (commandline -ct)
                case ''
                    return 1
            end
    end
end

# one function, since each candidate depends on the words before it
function __parley_complete
    set -l current (commandline -ct)

    if __parley_wants first
        __parley_first
        set -l words (commandline -opc)
        test (count $words) -eq 1
        and printf '%s\n' help --help --version -V
    else if __parley_wants second
        __parley_second
    else if __parley_wants none
        if not __parley_values
            if string match -q -- '-*' "$current"
                __parley_options
            else
                __fish_complete_path "$current"
            end
        end
    end
end

complete -c parley -f -a '(__parley_complete)'
