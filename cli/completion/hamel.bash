# Completion of the hamel command for bash.

# _hamel_names KIND CURRENT: the names of frames, joints or keyframes of the robot on the line; CURRENT may be a list with commas
_hamel_names()
{
    local word before="" model="" command="" list=""
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        case $before in
        # flags have no argument
        --full | --memory | --spy | --ground | --lift | --pairs | --close | --strict | --quiet | -q | --keep-fixed | --resume) before="" ;;
        --ignore-limits | --open | --no-open) before="" ;;
        esac
        case $before,$word in
        *,-*) before=$word ;;
        -*) before="" ;;
        *) if [ -z "$command" ]; then command=$word; else model=${model:-$word}; fi ;;
        esac
    done
    [ -n "$model" ] || return
    case $2 in *,*) list=${2%,*}, ;; esac
    COMPREPLY=($(compgen -P "$list" -W "$("${COMP_WORDS[0]}" info "$model" --quiet --names "$1" 2>/dev/null)" -- "${2##*,}"))
}

_hamel()
{
    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command="" word
    local commands="info dynamics jacobian linearize trim modes lqr plan validate simulate view generate bench help"
    local options="--out --base --base-name --mimic --passive --gravity --keep-fixed --strict --quiet --help --version"
    local loops="--loops --close"
    local many="--states --select --precision --resume --threads"
    COMPREPLY=()
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        case " $commands " in *" $word "*)
            command=$word
            break
            ;;
        esac
    done

    case $before in
    --base) COMPREPLY=($(compgen -W "free fixed" -- "$current")) ;;
    --mimic) COMPREPLY=($(compgen -W "follow independent" -- "$current")) ;;
    --loops) COMPREPLY=($(compgen -W "on off" -- "$current")) ;;
    --passive) COMPREPLY=($(compgen -W "on off" -- "$current")) ;;
    --representation | -r) COMPREPLY=($(compgen -W "left right mixed split" -- "$current")) ;;
    --inputs) COMPREPLY=($(compgen -W "actuated all actuators" -- "$current")) ;;
    --integrator) COMPREPLY=($(compgen -W "dopri5 euler rk2 rk4 variational alpha momentum" -- "$current")) ;;
    --functions) COMPREPLY=($(compgen -W "linearize forward_dynamics inverse_dynamics mass_matrix step_linearize frames held_linearize" -- "$current")) ;;
    --target) COMPREPLY=($(compgen -W "c native avx2 avx512 neon" -- "$current")) ;;
    --twist) COMPREPLY=($(compgen -W "right left" -- "$current")) ;;
    --controller) COMPREPLY=($(compgen -W "none hold actuators" -- "$current")) ;;
    --precision) COMPREPLY=($(compgen -W "float64 float32" -- "$current")) ;;
    --isa) COMPREPLY=($(compgen -W "best scalar x2 x4 x8" -- "$current")) ;;
    --state | -s | --states | --out | -o | --picture | --study | --plot | --view | --trajectory | --save) COMPREPLY=($(compgen -f -- "$current")) ;;
    --frame | -f | --frames | --contact | --hold) _hamel_names frames "$current" ;;
    --lock) _hamel_names joints "$current" ;;
    --q)
        _hamel_names joints "$current"
        COMPREPLY=("${COMPREPLY[@]/%/=}")
        compopt -o nospace 2>/dev/null
        ;;
    --keyframe | -k) _hamel_names keyframes "$current" ;;
    --names) COMPREPLY=($(compgen -W "frames joints keyframes" -- "$current")) ;;
    --base-name | --gravity | -g | --samples | -n | --seed | --batch | --seconds) ;;
    --time | -t | --step | --tolerance | --max-steps | --stiffness | --damping | --friction | --height | --spacing) ;;
    --select | --threads) ;;
    --posture | --weight-position | --weight-velocity | --weight-input | --weight-integral | --discrete | --mode | --simulate | --push | --disturb | --locus) ;;
    *) case $current in
        -*)
            case $command in
            info) options="$options --memory --names" ;;
            dynamics) options="$options --state --keyframe --q --representation --isa $loops $many" ;;
            jacobian) options="$options --state --keyframe --q --representation --isa --frame $loops" ;;
            linearize) options="$options --state --keyframe --q --representation --isa --inputs --full --spy --picture $loops $many" ;;
            trim)
                options="$options --state --keyframe --q --representation --isa --hold --inputs --lock --friction --posture"
                options="$options --ignore-limits --save $loops"
                ;;
            modes) options="$options --state --keyframe --q --isa --hold --inputs --view --mode --locus --plot $loops" ;;
            lqr)
                options="$options --state --keyframe --q --isa --hold --inputs --weight-position --weight-velocity --weight-input"
                options="$options --integral --weight-integral --discrete --simulate --push --disturb --ground --terrain --spacing --height --lift --pairs --friction --contact --plot --view $loops"
                ;;
            plan) options="$options --isa --plot --view" ;;
            validate) options="$options --samples --seed --twist --random --study" ;;
            simulate)
                options="$options --state --keyframe --q --representation --isa --time --integrator --step --tolerance --max-steps --controller"
                options="$options --stiffness --damping --ground --terrain --spacing --height --lift --pairs --friction --contact --plot --view $loops $many"
                ;;
            view) options="$options --state --keyframe --q --trajectory --open --no-open" ;;
            generate) options="$options --functions --frames --hold --target --batch --float --test --realign --force" ;;
            bench) options="$options --batch --seconds --isa" ;;
            esac
            COMPREPLY=($(compgen -W "$options" -- "$current"))
            ;;
        *)
            if [ -z "$command" ]; then
                COMPREPLY=($(compgen -W "$commands" -- "$current"))
            elif [ "$command" = help ]; then
                COMPREPLY=($(compgen -W "${commands% help}" -- "$current"))
            else
                COMPREPLY=($(compgen -d -- "$current"; compgen -f -X '!*.@(urdf|xml|json)' -- "$current"
                    compgen -W "arm7 drone_arm humanoid nine pendulum quadruped satellite ship_crane" -- "$current"))
            fi
            ;;
        esac ;;
    esac
}
shopt -s extglob
complete -o filenames -F _hamel hamel
