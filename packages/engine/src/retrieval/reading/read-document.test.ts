import { describe, expect, it } from 'vitest'
import { readDocument } from './read-document.ts'
import type { RecordShape } from './read-records.ts'
import { yieldPoint } from './yield-point.ts'

const read = (path: string, text: string, shape: RecordShape | null = null) =>
  [...readDocument(path, Buffer.from(text), shape)].filter((block) => block !== yieldPoint)

const shape: RecordShape = {
  vectorFields: ['title', 'body'],
  idField: 'id',
  metaFields: ['team'],
  recordPath: null,
  recordPrefix: '',
  metaPrefix: '',
  fieldSeparator: '\n',
  delimiter: null,
}

describe('Markdown', () => {
  it('recognizes both kinds of heading, code, tables and front matter', () => {
    const blocks = read(
      'a.md',
      '---\ntags: x\n---\n# One #\n\nText of\ntwo lines\n\nTwo\n---\n```sh\n# no heading\n```\n| a | b |\n|---|---|\n| 1 | x\\|y |\nafter\n',
    )
    expect(blocks).toEqual([
      { type: 'heading', level: 1, text: 'One', line: 4 },
      { type: 'text', text: 'Text of\ntwo lines', line: 6 },
      { type: 'heading', level: 2, text: 'Two', line: 9 },
      { type: 'code', text: '# no heading', line: 11 },
      { type: 'table', header: ['a', 'b'], rows: [['1', 'x|y']], line: 14 },
      { type: 'text', text: 'after', line: 17 },
    ])
  })

  it('removes comments', () => {
    expect(read('a.md', '<!-- only\nfor editors -->\n\ntext')).toEqual([{ type: 'text', text: 'text', line: 4 }])
  })
})

describe('a large file', () => {
  // A quadratic algorithm would not finish here.
  const many = 200_000
  it.each([
    ['fences', 'a.md', '```\nx\n```\n'.repeat(many)],
    ['hashes that do not close a heading', 'a.md', `# a ${'#'.repeat(10 * many)}x`],
    ['inline elements', 'a.html', `<p>${'<b>x</b> '.repeat(many)}`],
    ['items of a list in a list', 'a.html', `<ul><li>a<ul>${'<li>x'.repeat(many)}</ul></ul>`],
    ['quotes inside a cell', 'a.csv', `a\nz${'"'.repeat(10 * many)}\n`],
  ])('is read in linear time: %s', (name, path, text) => {
    expect(read(path, text)).toHaveLength(name === 'fences' ? many : 1)
  })

  it.each([
    ['HTML', 'a.html', '<p>x'.repeat(50_000)],
    ['a table with a quote that is never closed', 'a.csv', `a,b\n"${'x'.repeat(1_000_000)}`],
    ['JSON Lines', 'a.jsonl', '1\n'.repeat(5000)],
  ])('yields before its first block: %s', (_name, path, text) => {
    const [first, second] = readDocument(path, Buffer.from(text), null)
    expect([first, second]).toEqual([yieldPoint, yieldPoint])
  })

  it('is refused if its markup is nested too deeply', () => {
    expect(() => read('a.html', '<div>x'.repeat(many))).toThrow('has markup nested more than 1000 deep')
    expect(() => read('a.html', Array.from({ length: many }, (_, id) => `<p><b id=${id}>x`).join(''))).toThrow('nested')
  })

  it('yields an endless paragraph in parts with their lines', () => {
    for (const path of ['a.txt', 'a.md']) {
      const blocks = read(path, `${'ALPHA 1\nwords\n'.repeat(600)}\nNEXT\n\nmore`)
      expect(blocks.map(({ type, ...rest }) => [type, 'line' in rest ? rest.line : null])).toEqual(
        path === 'a.txt'
          ? [
              ['heading', 1],
              ['text', 2],
              ['text', 502],
              ['text', 1002],
              ['heading', 1202],
              ['text', 1204],
            ]
          : [
              ['text', 1],
              ['text', 501],
              ['text', 1001],
              ['text', 1202],
              ['text', 1204],
            ],
      )
    }
  })
})

describe('HTML', () => {
  it('yields headings, paragraphs, lists, tables and code, and drops other elements', () => {
    const blocks = read(
      'a.html',
      `<html><head><title>t</title><style>p {}</style></head><body><nav>Home</nav><h2>A <b>bold</b> head</h2>
<p>One &amp; <i>two</i>.</p><script>alert(1)</script>
<ol><li>first</li><li>second<ul><li>inner</li></ul></li></ol>
<table><thead><tr><th>k</th><th>v</th></tr></thead><tbody><tr><td>a</td><td>1<br>2</td></tr></tbody></table>
<pre>  x = 1
  y</pre><p hidden>secret</p><div>loose <img alt="a seal" src="x.png"></div></body></html>`,
    )
    expect(blocks).toEqual([
      { type: 'heading', level: 2, text: 'A bold head', line: 1 },
      { type: 'text', text: 'One & two.', line: 2 },
      { type: 'text', text: '1. first\n2. second\n  - inner', line: 3 },
      { type: 'table', header: ['k', 'v'], rows: [['a', '1 2']], line: 4 },
      { type: 'code', text: '  x = 1\n  y', line: 5 },
      { type: 'text', text: 'loose a seal', line: 6 },
    ])
  })
})

describe('plain text', () => {
  it('treats capitals, underlined lines and numbered titles as headings', () => {
    const blocks = read('a.txt', 'TITLE\nintro\n\n1. Scope\n\nText.\n\nUnder\n-----\nmore\n\n2. This is a sentence.\n')
    expect(blocks.map((block) => (block.type === 'heading' ? `${block.level} ${block.text}` : block.type))).toEqual([
      '1 TITLE',
      'text',
      '3 1. Scope',
      'text',
      '2 Under',
      'text',
      'text',
    ])
  })
})

describe('CSV', () => {
  it('finds the delimiter, keeps quotes and line breaks inside cells, and labels each cell', () => {
    const blocks = read('a.csv', 'id;name\n1;"a; ""b""\nc"\n2;\n')
    expect(blocks).toMatchObject([
      { type: 'record', row: 'row 1', text: 'id: 1\nname: a; "b"\nc' },
      { type: 'record', row: 'row 2', text: 'id: 2' },
    ])
  })

  it('accepts a configured delimiter, even of several characters', () => {
    const blocks = read('a.csv', 'id::title\n1::x;y\n', { ...shape, vectorFields: ['title'], delimiter: '::' })
    expect(blocks).toMatchObject([{ row: '1', text: 'x;y' }])
  })

  it('refuses a row with more cells than columns', () => {
    expect(() => read('a.csv', 'a,b\n1,2,3\n')).toThrow('row 1 has 3 cells but there are 2 columns')
  })
})

describe('JSON', () => {
  it('makes a record of each object in a list, below the name of the list', () => {
    const blocks = read(
      'a.json',
      JSON.stringify({ note: 'x', codes: [{ id: 1, at: { town: 'Bergen' }, tags: ['a', 'b'] }] }),
    )
    expect(blocks).toMatchObject([
      { type: 'text', text: 'note: x' },
      { type: 'heading', text: 'codes' },
      { type: 'record', text: 'id: 1\nat.town: Bergen\ntags: a, b', row: 'record 1' },
    ])
  })

  it('reads JSON Lines and names an invalid line', () => {
    expect(read('a.jsonl', '{"a":1}\n\n{"a":2}\n')).toHaveLength(2)
    expect(() => read('a.jsonl', '{"a":1}\nnope\n')).toThrow('line 2 is not JSON')
  })
})

describe('records', () => {
  const nested = {
    teams: [
      {
        team: 'tank',
        notes: [
          { id: 7, title: 'Leak', body: 'Water.' },
          { id: 8, title: 'Rust' },
        ],
      },
    ],
  }

  it('follow record_path and inherit missing fields from their parents', () => {
    const blocks = read('a.json', JSON.stringify(nested), { ...shape, recordPath: 'teams.notes' })
    expect(blocks).toEqual([
      { type: 'record', text: 'title: Leak\nbody: Water.', details: { team: 'tank' }, row: '7' },
      { type: 'record', text: 'title: Rust', details: { team: 'tank' }, row: '8' },
    ])
  })

  it('have their prefixes and separator', () => {
    const [block] = read('a.json', JSON.stringify(nested), {
      ...shape,
      recordPath: 'teams.notes',
      recordPrefix: 'note.',
      metaPrefix: 'of.',
      fieldSeparator: ' | ',
    })
    expect(block).toMatchObject({ text: 'note.title: Leak | note.body: Water.', details: { 'of.team': 'tank' } })
  })

  it('are refused without an id or text, below a missing path, and in prose', () => {
    expect(() => read('a.csv', 'title\nx\n', shape)).toThrow('row 1 has no "id" (id_field)')
    expect(() => read('a.csv', 'id,other\n1,x\n', shape)).toThrow('row 1 has no text in title, body (vector_field)')
    expect(() => read('a.json', '{"a":1}', { ...shape, recordPath: 'data.items' })).toThrow('there is no "data"')
    expect(() => read('a.md', '# x', shape)).toThrow('vector_field is for .csv, .tsv, .json and .jsonl')
  })
})
