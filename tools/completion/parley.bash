# Completion of parley(1) for bash.  The help of the tool gives the commands
# and options.

_parley_words()
{
    # prints the first two columns of the list in "parley --help"
    "$1" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z ]*[a-z]\)  .*/\1/p'
}

_parley_options()
{
    # prints each -x and --word of a command's help; the arguments are the
    # command
    "$@" --help 2>/dev/null \
        | sed -n 's/^  \(-[a-z]\), \(--[a-z-]*\).*/\1 \2/p
                  s/^      \(--[a-z-]*\).*/\1/p'
}

_parley_argument()
{
    # prints the name of an option's value in the help; the arguments are a
    # tool, a command and an option
    "${@:1:$#-1}" --help 2>/dev/null | sed -n "s/^ .* *${!#} \([A-Z]*\).*/\1/p"
}

_parley_protocols()
{
    "$1" -V 2>/dev/null | sed -n 's/^protocols: //p'
}

_parley()
{
    local tool=$1 cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
    local first= second= names options

    COMPREPLY=()

    [ "$COMP_CWORD" -gt 1 ] && first=${COMP_WORDS[1]}
    [ "$COMP_CWORD" -gt 2 ] && second=${COMP_WORDS[2]}

    # the command: one or two words; "help" takes a command too

    names=$(_parley_words "$tool")

    if [ -z "$first" ]; then
        COMPREPLY=($(compgen -W "$(sed 's/ .*//' <<<"$names") help --help
                                 --version -V" -- "$cur"))
        COMPREPLY=($(printf '%s\n' "${COMPREPLY[@]}" | sort -u))
        return
    fi

    if [ "$first" = help ]; then
        COMPREPLY=($(compgen -W "$(sed -n "s/^${second:+$second }//p" \
                                   <<<"$names" | sed 's/ .*//' | sort -u)" \
                             -- "$cur"))
        return
    fi

    if [ -z "$second" ] && grep -q "^$first " <<<"$names"; then
        COMPREPLY=($(compgen -W "$(sed -n "s/^$first //p" <<<"$names")" \
                             -- "$cur"))
        return
    fi

    grep -qx "$first" <<<"$names" && second=

    # the value of an option

    case $prev in
        --as | --from | --to)
            COMPREPLY=($(compgen -W "$(_parley_protocols "$tool")" -- "$cur"))
            return ;;
        --loss)
            COMPREPLY=($(compgen -W 'report reject ignore' -- "$cur"))
            return ;;
        --type | -t)
            COMPREPLY=($(compgen -W 'cmd data stream heartbeat' -- "$cur"))
            return ;;
        --alg)
            COMPREPLY=($(compgen -W 'ed25519 es256 es384 es512 rs256 rs384
                                     rs512 ps256 ps384 ps512 hs256 hs384
                                     hs512' -- "$cur"))
            return ;;
        --limit)
            compopt -o nospace 2>/dev/null
            COMPREPLY=($(compgen -W 'body= string= depth= members=' \
                                 -- "$cur"))
            return ;;
        -*)
            case $(_parley_argument "$tool" "$first" ${second:+"$second"} \
                                    "$prev") in
                FILE)
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                    return ;;
                FOLDER)
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -d -- "$cur")
                    return ;;
                ?*)
                    return ;;
            esac ;;
    esac

    # an option, or a file

    if [ "${cur#-}" != "$cur" ]; then
        options=$(_parley_options "$tool" "$first" ${second:+"$second"})
        COMPREPLY=($(compgen -W "$options" -- "$cur"))
        return
    fi

    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
}

complete -F _parley parley
