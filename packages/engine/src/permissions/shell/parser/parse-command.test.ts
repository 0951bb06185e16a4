// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are lines of a shell
import { describe, expect, it } from 'vitest'
import { parseCommand } from './parse-command.ts'
import { everyCommand } from './shell-syntax.ts'

/** Each command as its words without quotes, including those in substitutions. */
function wordsOf(line: string): string[] {
  const parsed = parseCommand(line)
  if (parsed.type === 'not-understood') return [`? ${parsed.reason}`]
  return everyCommand(parsed.commands).map((command) => command.words.map((word) => word.text).join(' '))
}

function onlyCommand(line: string) {
  const parsed = parseCommand(line)
  const command = parsed.type === 'commands' ? parsed.commands[0] : undefined
  if (command === undefined) throw new Error(`no command in ${line}`)
  return command
}

describe('parseCommand', () => {
  it.each<[string, string[]]>([
    ['', []],
    ['   # only a comment', []],
    ['ls -la', ['ls -la']],
    ['a; b & c && d || e', ['a', 'b', 'c', 'd', 'e']],
    ['a\nb\n\nc', ['a', 'b', 'c']],
    ['a | b |& c', ['a', 'b', 'c']],
    ['a |\n b &&\n c', ['a', 'b', 'c']],
    ['a \\\n b', ['a b']],
    ['r\\\nm x', ['rm x']],
    [`r\\m 'a b' "c d" e\\ f`, ['rm a b c d e f']],
    [`"r"m ''x`, ['rm x']],
    [`$'\\x72\\155' $'a\\tb'`, ['rm a\tb']],
    ['echo a#b # comment ; rm x', ['echo a#b']],
    ['(a; b) | { c; d; }', ['a', 'b', 'c', 'd']],
    ['echo $(a $(b)) `c \\`d\\``', ['echo $(a $(b)) `c \\`d\\``', 'a $(b)', 'b', 'c `d`', 'd']],
    ['echo "x $(a) y"', ['echo x $(a) y', 'a']],
    ["echo '$(a)'", ['echo $(a)']],
    ['diff <(a) >(b)', ['diff <(a) >(b)', 'a', 'b']],
    ['echo ${x:-$(a)}', ['echo ${x:-$(a)}', 'a']],
    ['echo $((1 + $(a)))', ['echo $((1 + $(a)))', 'a']],
    ['echo $[1 + $(a)]', ['echo $[1 + $(a)]', 'a']],
    ['echo $((a); b)', ['echo $((a); b)', 'a', 'b']],
    ['((x = $(a)))', ['((x = $(a)))', 'a']],
    ['((1 + 1)); a', ['a']],
    ['((a); b)', ['a', 'b']],
    ['if a; then b; elif c; then d; else e; fi', ['a', 'b', 'c', 'd', 'e']],
    ['while a; do b; done', ['a', 'b']],
    ['until a\ndo\nb\ndone', ['a', 'b']],
    ['for x in 1 $(a); do b $x; done', ['', 'a', 'b $x']],
    ['for x; do b; done', ['b']],
    ['for ((i = 0; i < 3; i++)); do b; done', ['((i = 0; i < 3; i++))', 'b']],
    ['case $x in a|b) c;; (d) e;& *) f; esac', ['c', 'e', 'f']],
    ['f() { a; }; f', ['a', 'f']],
    ['function f { a; }', ['a']],
    ['function f() ( a )', ['a']],
    ['! a', ['a']],
    ['time -p a | b', ['a', 'b']],
    ['time -o x a', ['time -o x a']],
    ['[[ -f x && $(a) == b ]] && c', ['[[ -f x $(a) == b ]]', 'a', 'c']],
    ['X=1 Y=$(a) b', ['b', 'a']],
    ['X=(1 $(a)) b', ['b', 'a']],
    ['cat <<EOF\nhi $(a)\nEOF\nb', ['cat', 'a', 'b']],
    ["cat <<'EOF'\nhi $(a)\nEOF\nb", ['cat', 'b']],
    ['cat <<-EOF\n\thi\n\tEOF\nb', ['cat', 'b']],
    ['cat <<A <<B\n1\nA\n2\nB\nc', ['cat', 'c']],
    ['cat <<EOF | b\nx\nEOF', ['cat', 'b']],
    ['cat <<EOF\nEO\\\nF\nrm x\nEOF', ['cat', 'rm x', 'EOF']],
    ["x=$(cat <<'EOF'\nbody ) \"\nEOF\n)", ['', 'cat']],
    ['(a) > $(b)', ['a', '', 'b']],
    ['a > out 2>&1 < in b', ['a b']],
    ['a &> out', ['a']],
    ['a {fd}> out', ['a']],
    ['echo {}', ['echo {}']],
  ])('parses %j', (line, expected) => {
    expect(wordsOf(line)).toEqual(expected)
  })

  it.each([
    "echo 'open",
    'echo "open',
    'echo `open',
    'echo $(open',
    'echo ${open',
    'echo $((1 + ',
    '(a',
    '{ a;',
    'a )',
    'a ;; b',
    'if a; then b',
    'fi',
    'for x in a b; b; done',
    'case x in a) b',
    'a > ',
    'echo @(a|b)',
    'echo foo(bar)',
    '"${x:-\'$(a)\'}"',
    'a\u0000b',
    'cat <<$X\na\n$X',
    `${'$('.repeat(60)}a${')'.repeat(60)}`,
    `${'a;'.repeat(5000)}`,
    'a'.repeat(200_000),
  ])('does not understand %j', (line) => {
    expect(parseCommand(line).type).toBe('not-understood')
  })

  it('distinguishes literal words from those that only the shell knows', () => {
    const flags = (line: string) => onlyCommand(line).words.map((word) => [word.isLiteral, word.isPath])
    expect(flags(`a 'b*' "c" \\$d`)).toEqual([[true, true], [true, true], [true, true], [true, true]]) // biome-ignore format: one row per word
    expect(flags('a b* c? d[ef]')).toEqual([[true, true], [false, true], [false, true], [false, true]]) // biome-ignore format: one row per word
    expect(flags('a $b "$c" $(d) `e` {f,g} {1..3} <(h)').slice(1)).toEqual(Array(7).fill([false, false]))
    expect(flags('[ -f x ]')).toEqual(Array(4).fill([true, true]))
    expect(flags('=rm')).toEqual([[false, false]])
    expect(onlyCommand('a ~/x').words[1]?.startsWithTilde).toBe(true)
  })

  it('keeps redirections with their operators, targets and positions', () => {
    const { redirections, source } = onlyCommand('a >out 2>>err <in &>all >|forced 3<>both <<<text')
    expect(redirections.map(({ operator, target }) => [operator, target.text])).toEqual([
      ['>', 'out'],
      ['>>', 'err'],
      ['<', 'in'],
      ['&>', 'all'],
      ['>|', 'forced'],
      ['<>', 'both'],
      ['<<<', 'text'],
    ])
    expect(redirections.map(({ start, end }) => source.slice(start, end))).toEqual([
      '>',
      '2>>',
      '<',
      '&>',
      '>|',
      '3<>',
      '<<<',
    ])
  })

  it('inserts the body of a here-document', () => {
    const { redirections } = onlyCommand("bash <<'EOF'\nrm x\nEOF\n")
    expect(redirections[0]?.target).toMatchObject({ text: 'rm x', isLiteral: true })
  })

  it('knows the commands that pipe into a command, even into a group', () => {
    const feeds = (line: string) => {
      const parsed = parseCommand(line)
      if (parsed.type === 'not-understood') return null
      const last = parsed.commands.at(-1)
      return last?.pipedFrom.map((command) => command.words[0]?.text)
    }
    expect(feeds('a | b | c')).toEqual(['a', 'b'])
    expect(feeds('a | (b | c)')).toEqual(['a', 'b'])
    expect(feeds('a | b; c')).toEqual([])
  })
})

describe('parseCommand with arbitrary input', () => {
  const pieces = [
    ...' \t\n\\\'"`$(){}[]<>|&;#!*?~=,.a0-'.split(''),
    '$(', '$((', '${', '<(', '<<EOF\n', 'EOF\n', '&&', '||', ';;', 'if ', 'then ', 'fi ', 'for x in ', 'do ', 'done ',
    'case x in ', 'esac ', '[[ ', ' ]]', "$'", '$"', 'f() ', 'X=', 'rm ', '2>&1', '\u0000', 'é', '😀', '\r', '\\\n',
  ] // biome-ignore format: a list of pieces
  let seed = 42
  const random = (below: number) => {
    seed = (seed * 1103515245 + 12345) % 2147483648
    return (seed >>> 8) % below
  }

  it('never throws and always terminates', () => {
    const seen = new Set<string>()
    for (let round = 0; round < 30_000; round += 1) {
      const line = Array.from({ length: random(24) }, () => pieces[random(pieces.length)]).join('')
      seen.add(parseCommand(line).type)
    }
    expect([...seen].sort()).toEqual(['commands', 'not-understood'])
  })

  it('handles long repetitions', () => {
    for (const piece of pieces) {
      for (const line of [piece.repeat(30_000), `a ${piece.repeat(20_000)}`, `"${piece.repeat(20_000)}"`]) {
        expect(['commands', 'not-understood']).toContain(parseCommand(line).type)
      }
    }
  })

  it('finds a command in any harmless context', () => {
    const around: ((inner: string) => string)[] = [
      (inner) => `( ${inner} )`,
      (inner) => `{ ${inner}\n}`,
      (inner) => `true && ${inner}`,
      (inner) => `echo $(${inner}\n)`,
      (inner) => `echo "$(${inner}\n)"`,
      (inner) => `if true; then ${inner}\nfi`,
      (inner) => `while ${inner}\ndo break; done`,
      (inner) => `for x in a b; do ${inner}\ndone`,
      (inner) => `case a in a) ${inner}\n;; esac`,
      (inner) => `f() { ${inner}\n}; f`,
      (inner) => `cat <(${inner}\n)`,
      (inner) => `echo a | ${inner}`,
      (inner) => `X=1; ${inner}`,
      (inner) => `echo \${x:-$(${inner}\n)}`,
      (inner) => `echo hi # comment\n${inner}`,
      (inner) => `cat <<E${inner.length}\n$(${inner}\n)\nE${inner.length}\n`,
    ]
    for (let round = 0; round < 2000; round += 1) {
      let line = 'target "an argument"'
      for (let depth = 0; depth < 1 + random(4); depth += 1) line = (around[random(around.length)] ?? String)(line)
      expect(wordsOf(line), line).toContain('target an argument')
    }
  })
})
