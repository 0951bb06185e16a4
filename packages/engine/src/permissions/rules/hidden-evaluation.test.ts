// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are lines of a shell
import { type PermissionRule, parseRule } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { escapePattern } from '../shell/parser/glob-pattern.ts'
import { findAllowing, findDenying } from './match-rule.ts'

const rule = (text: string): PermissionRule => {
  const parsed = parseRule(text)
  if (parsed === undefined) throw new Error(`no rule: ${text}`)
  return parsed
}
const bash = (command: string) => ({ toolName: 'Bash', toolInput: { command } })
const context = { cwd: '/project' }
const wide = ['npm test*', 'echo *', 'test *', '[ *', '[[ *', 'printf *', 'read *', 'unset *', 'declare *', 'export *']
  .concat(['set *', 'let *', 'wait *', 'mapfile *', 'compgen *', 'cat *', 'git *', ':*', 'node *', 'true', 'getopts *'])
  .map((pattern) => rule(`Bash(${pattern})`))
const allows = (command: string) => findAllowing(wide, bash(command), context) !== null
const denies = (command: string) => findDenying([rule('Bash(rm *)')], bash(command), context) !== null

const evaluating = [
  "npm test -- 'a[$(id > f)]' ; npm test $((_))",
  `echo '$(id)'; echo "\${_@P}"`,
  "echo 'a[$(id)]'; echo ${PWD:_}",
  "echo 'a[$(id)]'; echo ${PWD:0:_}",
  `echo 'a[$(id)]'; echo "\${x[_]}"`,
  "echo 'a[$(id)]'; echo ${#x[_]}",
  "echo 'a[$(id)]'; echo $[_]",
  "echo 'a[$(id)]'; echo $(( $_ ))",
  "echo 'a[$(id)]'; echo ${x:-$((_))}",
  "echo 'a[$(id)]'; echo ${!_}",
  'echo ${PS4:=x}',
  'echo ${PATH=x}',
  'echo ${x@E}',
  'echo $x[y]',
  'echo "$((x))"',
  'cat <<E\n$((x))\nE',
  'cat <<< $((x))',
  'cat < $((x))',
  "test -v 'a[$(id)]'",
  "[ -v 'a[$(id)]' ]",
  "[[ -v 'a[$(id)]' ]]",
  "[[ 'a[$(id)]' -eq 1 ]]",
  '[[ 1 -lt x ]]',
  '[[ -n a && $x -gt 3 ]]',
  "test -f a -o -v 'a[$(id)]'",
  "for i in -v; do test $i 'a[$(id)]'; done",
  `for i in -v; do test "$i" 'a[$(id)]'; done`,
  "for i in '-v a[$(id)]'; do test $i; done",
  "for i in 'a[$(id)]'; do echo $((i)); done",
  'for i in $((x)); do true; done',
  'case $((x)) in a) true;; esac',
  'case a in $((x))) true;; esac',
  'for ((i = x; i < 3; i++)); do true; done',
  '((x)); true',
  "let 'a[$(id)]'",
  "printf -v 'a[$(id)]' x",
  "for i in -v; do printf $i 'a[$(id)]' x; done",
  "read 'a[$(id)]'",
  "unset 'a[$(id)]'",
  "wait -p 'a[$(id)]'",
  "getopts x 'a[$(id)]'",
  "mapfile -C 'id;' x",
  "compgen -W '$(id)'",
  "declare 'a[$(id)]=1'",
  "declare -i a='b[$(id)]'",
  "declare -n a='b[$(id)]'",
  'declare "$x"',
  "read RANDOM <<< 'a[$(id)]'",
  "read OPTIND <<< 'a[$(id)]'",
  "getopts x RANDOM 'a[$(id)]'",
  "export RANDOM='a[$(id)]'",
  "for RANDOM in 'a[$(id)]'; do true; done",
  "RANDOM='a[$(id)]' true",
  "read PS4 <<< '$(id)'; set -x; true",
  "mapfile PS4 <<< '$(id)'; set -x; true",
  "for PS4 in '$(id)'; do true; done",
  "declare -a x='([$(id)]=1)'",
  'declare -a "x=$y"',
  'export -a "x=$y"',
  'read -a x; declare "x=$y"',
  `for i in a; do test "$@"; done`,
  'printf "$@"',
  "export PS4='$(id)'",
  'export BASH_ENV=x',
  'echo {a[x]}> /dev/null',
  "bash -c 'echo $((x))'",
]

describe('a line in which the shell evaluates a value as code', () => {
  it.each(evaluating)('is not allowed by a wildcard: %j', (command) => {
    expect(allows(command)).toBe(false)
  })

  it.each(evaluating)('is denied by every deny rule: %j', (command) => {
    expect(denies(command)).toBe(true)
  })

  it.each(evaluating)('is allowed by a rule with the exact line: %j', (command) => {
    const exact: PermissionRule = { tool: 'Bash', pattern: escapePattern(command) }
    expect(findAllowing([exact], bash(command), context)).not.toBeNull()
  })
})

describe('a line that only inserts values', () => {
  it.each([
    'npm test $HOME "${HOME}" ${x:-y} ${x%.ts} ${x##*/} ${x/a/b} ${x^^} ${#x}',
    'echo $((1 + 2)) $[3 * 4] ${x:1} ${x: -1} ${x:1:2} ${x[0]} "${x[@]}" ${#x[*]} $? $# $! ${!}',
    'test -f x',
    'test -v NAME',
    '[ "$x" = y ]',
    '[ -n "$x" ]',
    '[ ! -d "$x" ]',
    '[ $? -eq 0 ]',
    '[ "$#" -gt 2 ]',
    '[[ -f $x && $y == z ]]',
    '[[ ${#x} -gt 3 ]]',
    'printf \'%s\\n\' "$x"',
    'read -r line',
    'unset x',
    'export X="$y"',
    'declare -r x=1',
    'declare x=a$y',
    'export COLUMNS=80',
    'wait $!',
    'for f in a b; do npm test "$f"; done',
    "node -e 'a[x]'",
    'cat <<E\n$x\nE',
  ])('stays allowed and is not denied: %j', (command) => {
    expect(allows(command)).toBe(true)
    expect(denies(command)).toBe(false)
  })

  it('may loop over its own variable, but not over one that programs read', () => {
    expect(allows('for PATH in /evil; do npm test; done')).toBe(false)
    expect(allows('for http_proxy in x; do npm test; done')).toBe(false)
  })

  it('still matches the exact rule of the coder example', () => {
    const coder = [rule('Bash(node --test)')]
    expect(findAllowing(coder, bash('node --test'), context)).not.toBeNull()
    expect(findAllowing(coder, bash('node --test 2>&1'), context)).not.toBeNull()
    expect(findAllowing(coder, bash('node --test $((x))'), context)).toBeNull()
  })
})
