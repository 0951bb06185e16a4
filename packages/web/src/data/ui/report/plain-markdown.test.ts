import { expect, it } from 'vitest'
import { plainMarkdown } from './plain-markdown.ts'

it('keeps titles, lists, tables, code and emphasis', () => {
  const text = [
    '# Late\n\nNorth is **first**, *then* ~~South~~ West.\n\n- one `a<b`\n- two\n  1. deep\n  2. deeper',
    '| a | b |\n| --- | --- |\n| 1 | x_y |\n\n> quoted\n\n***\n\n```sql\nSELECT *\n  FROM t\n```',
  ].join('\n\n')
  expect(plainMarkdown(text)).toBe(
    [
      '### Late\n\nNorth is **first**, *then* ~~South~~ West.\n\n- one `a<b`\n- two\n  \n  1. deep\n  2. deeper',
      '| a | b |\n| --- | --- |\n| 1 | x\\_y |\n\n> quoted\n\n***\n\n```sql\nSELECT *\n  FROM t\n```',
    ].join('\n\n'),
  )
})

it.each([
  [
    'a fence of the other character',
    '~~~\n```\n~~~\n![x](http://evil.example/p.png)\n<img src=http://evil.example/p.png>',
  ],
  ['a fence that never ends', '```\n![x](http://evil.example/p.png)'],
  ['a code span over two lines', 'a ` b\nc ` <img src=x> ` d\n\n<img src=x> `'],
  ['a link reference', '![x][r] and [x][r]\n\n[r]: javascript:alert(1)'],
  ['a picture in a link', '[![x](http://evil.example/p.png)](https://evil.example)'],
  ['its own escapes', '\\![x](http://evil.example/p.png) \\\\<img src=x> `\\`<img src=x>'],
  ['a bar in a table', '| a | b |\n|---|---|\n| `x | <img src=x> ` | ![x](http://evil.example/p.png) |'],
  ['a definition after list markers', '- [r]: http://evil.example/p.png\n- ![r]\n\n1) <b>'],
])('loads and runs nothing: %s', (_what, hostile) => {
  const outsideCode = plainMarkdown(hostile)
    .replace(/^(`{3,}).*\n[\s\S]*?\n\1$/gm, '')
    .replace(/(`+)[^`\n][^\n]*?\1/g, '')
  expect(outsideCode).not.toMatch(/<|(?<!\\)[[\]]/)
})

it('creates no titles, lists or rules that the page does not show', () => {
  expect(plainMarkdown('text\n=== \n\\# no title\n\n\\- no list')).toBe('text\n\\===\n\\# no title\n\n\\- no list')
  expect(plainMarkdown('2026. A year')).toBe('2026. A year')
})
