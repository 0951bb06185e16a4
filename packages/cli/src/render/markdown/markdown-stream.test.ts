import { expect, it } from 'vitest'
import { paletteFor } from '../palette.ts'
import { createMarkdownStream, markdownText } from './markdown-stream.ts'

const plain = paletteFor({}, {})
const colored = paletteFor({ isTTY: true }, {})
const render = (text: string, width = 40, palette = plain) => markdownText(text, { palette, width: () => width })

function open(width = 40) {
  const written: string[] = []
  const stream = createMarkdownStream({ palette: plain, width: () => width, write: (text) => void written.push(text) })
  return { stream, written }
}

it('wraps words at the width of the terminal and keeps long addresses whole', () => {
  expect(render('One two three four five.', 12)).toBe('One two\nthree four\nfive.')
  expect(render('See https://example.org/a/very/long/path now', 20)).toBe(
    'See\nhttps://example.org/a/very/long/path\nnow',
  )
})

it('styles headings, emphasis and code, and keeps their marks where there are no colors', () => {
  const text = '## A *b* `c`\n\n**d** and ~~e~~'
  expect(render(text)).toBe('## A *b* `c`\n\n**d** and ~~e~~')
  expect(render('**d** `c`', 40, colored)).toBe('\u001B[1md\u001B[0m \u001B[36mc\u001B[0m')
})

it('indents lists with their continuation lines and nested lists', () => {
  expect(render('- one two three four\n  - inner\n- [x] done\n\nThen:\n\n3. c\n4. d', 14)).toBe(
    ['• one two', '  three four', '  • inner', '• [x] done', '', 'Then:', '', '3. c', '4. d'].join('\n'),
  )
})

it('shows code unwrapped and colors the lines of a diff', () => {
  expect(render('```js\nconst a = "long enough to wrap"\n\nb()\n```', 20)).toBe(
    '    const a = "long enough to wrap"\n\n    b()',
  )
  expect(render('```diff\n-a\n+b\n c\n```', 40, colored)).toBe(
    '    \u001B[31m-a\u001B[0m\n    \u001B[32m+b\u001B[0m\n     c',
  )
})

it('aligns tables, wraps their cells, and writes records where the columns do not fit', () => {
  const table = '| Name | Count |\n|---|---:|\n| ap | 3 |\n| 日本 | 12 |'
  expect(render(table)).toBe('Name  Count\n────  ─────\nap        3\n日本     12')
  expect(render('| A | B |\n|---|---|\n| one two three | x |', 14)).toBe(
    'A            B\n───────────  ─\none two      x\nthree',
  )
  expect(render('| One | Two | Six |\n|---|---|---|\n| aaaaaaaaaa | bbbbbbbbbb | cccccccccc |', 16)).toBe(
    'One: aaaaaaaaaa\nTwo: bbbbbbbbbb\nSix: cccccccccc',
  )
})

it('always shows where a link leads', () => {
  expect(render('[docs](https://example.org) <https://example.org>')).toBe(
    'docs (https://example.org)\nhttps://example.org',
  )
})

it('removes control sequences and escapes hidden characters', () => {
  const hostile = 'a \u001B[2Jb \u001B]8;;http://evil\u0007c &#27;[2J \u202Ed'
  expect(render(hostile)).toBe('a b c \\u001b[2J \\u202ed')
  expect(render('\u001B[31mred\u001B[0m')).toBe('red')
  const { stream, written } = open()
  for (const text of ['x \u001B', '[2', 'Jy\n\n']) stream.push(text)
  stream.end()
  expect(written.join('')).toBe('x y\n')
})

it('writes each block when it ends, and lines of code and list items as they arrive', () => {
  const { stream, written } = open()
  stream.push('First **bo')
  stream.push('ld**\n')
  expect(written).toEqual([])
  stream.push('\n```\na\nb')
  expect(written.join('')).toBe('First **bold**\n')
  stream.push('\nc\n')
  expect(written.join('')).toBe('First **bold**\n\n    a\n    b\n')
  stream.push('```\n\n- one\n- two\n')
  expect(written.join('')).toBe('First **bold**\n\n    a\n    b\n    c\n\n• one\n')
  stream.end()
  expect(written.join('')).toBe('First **bold**\n\n    a\n    b\n    c\n\n• one\n• two\n')
})

it('writes the same for text that arrives at once and letter by letter', () => {
  const text = [
    '# Title\n\nText with `code`\nand a second line.\n\n1. a\n2. b\n\n   more\n\n> quote\n> on\n\n',
    '| a | b |\n|---|---|\n| 1 | 2 |\n\n```diff\n-x\n+y\n```\n---\nEnd *here*',
  ].join('')
  const { stream, written } = open()
  for (const letter of text) stream.push(letter)
  stream.end()
  expect(written.join('')).toBe(`${render(text)}\n`)
})

const esc = '\u001B'
const screenParts = new RegExp(`${esc}\\[\\d*[AJ]|[\\r\\n]|[^${esc}\\r\\n]+`, 'g')

/** The rows that a terminal shows after this output: it moves up, returns and erases, and adds lines. */
function rowsOn(output: string): readonly string[] {
  const rows = ['']
  let row = 0
  for (const [part] of output.matchAll(screenParts)) {
    if (part === '\n') rows[++row] ??= ''
    else if (part === `${esc}[J`) rows.splice(row, rows.length, '')
    else if (part.startsWith(esc)) row -= Number(part.slice(2, -1))
    else if (part !== '\r') rows[row] += part
  }
  return rows.slice(0, -1)
}

it('shows the unfinished block of a terminal that can redraw it, word by word', () => {
  const written: string[] = []
  const screen = { palette: plain, width: () => 12, height: () => 6 }
  const stream = createMarkdownStream({ ...screen, write: (text) => void written.push(text) })
  const shown: (readonly string[])[] = []
  for (const text of ['One ', '**tw', 'o** three', ' four\n\nNext', ' line']) {
    stream.push(text)
    shown.push(rowsOn(written.join('')))
  }
  expect(shown).toEqual([
    ['One'],
    ['One **tw'],
    ['One **two**', 'three'],
    ['One **two**', 'three four', '', 'Next'],
    ['One **two**', 'three four', '', 'Next line'],
  ])
  stream.push(' a b c d e f g h i j k l m n o p q r s t u v w x y z')
  expect(rowsOn(written.join(''))).toEqual([
    'One **two**',
    'three four',
    'h i j k l m',
    'n o p q r s',
    't u v w x y',
    'z',
  ])
  stream.end()
  const whole = 'One **two** three four\n\nNext line a b c d e f g h i j k l m n o p q r s t u v w x y z'
  expect(rowsOn(written.join(''))).toEqual(render(whole, 12).split('\n'))
})

it('draws a rule of at least ten columns, however deep it is nested', () => {
  expect(render('- a\n  - b\n\n    ---\n', 3)).toContain('─'.repeat(10))
  expect(render(`${'> '.repeat(45)}---`, 80)).toContain('─'.repeat(10))
})

it('shows nesting that is too deep to parse as it is written', () => {
  const text = `${'>'.repeat(20_000)} a`
  expect(render(text, 40)).toContain('>>>>')
})

it('streams a long list in a bounded number of passes', () => {
  const text = Array.from({ length: 600 }, (_, at) => `- item ${at}\n`).join('')
  const { stream, written } = open()
  for (const line of text.split(/(?<=\n)/)) stream.push(line)
  expect(written.length).toBeGreaterThan(10)
  expect(written.length).toBeLessThan(300)
  stream.end()
  expect(written.join('')).toBe(text.replaceAll('- ', '• '))
})
