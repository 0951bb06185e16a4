import { estimateCharacters } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { readDocument } from '../reading/read-document.ts'
import { yieldPoint } from '../reading/yield-point.ts'
import { type Chunking, chunkDocument } from './chunk-document.ts'

const usual: Chunking = {
  strategy: 'structure',
  maxTokens: 100,
  overlap: 0,
  maxSubsectionDepth: null,
  extractDefinitions: true,
  extractReferences: true,
}

const chunk = (path: string, text: string, change: Partial<Chunking> = {}) =>
  [...chunkDocument(readDocument(path, Buffer.from(text), null), { ...usual, ...change })].filter(
    (passage) => passage !== yieldPoint,
  )

const sentences = (count: number) =>
  Array.from({ length: count }, (_, index) => `Sentence number ${index} says it.`).join(' ')

describe('chunkDocument by structure', () => {
  it('gives each passage its headings and its line', () => {
    const passages = chunk('a.md', '# One\n\nintro\n\n## Two\n\n### Three\n\ndeep\n\n## Four\n\nlast\n')
    expect(passages.map(({ headings, text, line }) => [headings.join('/'), text, line])).toEqual([
      ['One', 'intro', 3],
      ['One/Two/Three', 'deep', 9],
      ['One/Four', 'last', 13],
    ])
  })

  it('creates no passage for a heading without content', () => {
    expect(chunk('a.md', '# One\n\n## Two\n\n### Three\n')).toEqual([])
  })

  it('starts a passage at each numbered clause, with its number', () => {
    const passages = chunk(
      'a.txt',
      '4. Fees\n\n4.1 Fees are paid\nin advance.\n4.2 Invoices are due.\n4.2.1 Late ones cost.\n',
    )
    expect(passages.map(({ headings, text }) => [headings.join('/'), text])).toEqual([
      ['4. Fees/4.1', '4.1 Fees are paid\nin advance.'],
      ['4. Fees/4.2', '4.2 Invoices are due.'],
      ['4. Fees/4.2.1', '4.2.1 Late ones cost.'],
    ])
  })

  it('splits the numbering to max_subsection_depth, including letters', () => {
    const text = '4. Fees\n\n4.1 Paid:\n(a) Early, or\n(b) late.\n4.1.1 Really late.\n'
    const numbers = (maxSubsectionDepth: number | null) =>
      chunk('a.txt', text, { maxSubsectionDepth }).map(({ headings }) => headings.at(-1))
    expect(numbers(1)).toEqual(['4. Fees'])
    expect(numbers(2)).toEqual(['4.1'])
    expect(numbers(3)).toEqual(['4.1', '(a)', '4.1.1'])
    expect(numbers(null)).toEqual(['4.1', '4.1.1'])
  })

  it('does not treat a number within a sentence as a clause', () => {
    expect(chunk('a.txt', 'The fee rises by\n2.5 Per cent a year.\n')).toHaveLength(1)
  })

  it('repeats the header of a table that has to be split', () => {
    const rows = Array.from({ length: 40 }, (_, index) => `| row ${index} | ${'x'.repeat(20)} |`).join('\n')
    const passages = chunk('a.md', `# T\n\n| name | value |\n|---|---|\n${rows}\n`)
    expect(passages.length).toBeGreaterThan(2)
    for (const { text } of passages) expect(text).toMatch(/^name \| value\nrow \d+ \| x+/)
    expect(passages.flatMap(({ text }) => text.match(/row \d+/g))).toHaveLength(40)
  })

  it('keeps code together while it fits', () => {
    const code = Array.from({ length: 8 }, (_, index) => `line_${index} = ${'y'.repeat(20)}`).join('\n')
    const passages = chunk('a.md', `# C\n\n${sentences(8)}\n\n\`\`\`\n${code}\n\`\`\`\n\n${sentences(8)}`)
    expect(passages.some(({ text }) => text.includes(code))).toBe(true)
  })

  it('makes one passage of each row', () => {
    const passages = chunk('a.csv', 'sku,name\nA-1,Probe\nA-2,Buoy\n')
    expect(passages.map(({ row, text }) => [row, text])).toEqual([
      ['row 1', 'sku: A-1\nname: Probe'],
      ['row 2', 'sku: A-2\nname: Buoy'],
    ])
  })
})

describe('the size of passages', () => {
  const documents = {
    prose: `# A\n\n${sentences(120)}`,
    'one endless word': `# A\n\n${'x'.repeat(5000)}`,
    'characters of two halves': `# A\n\n${'🐟'.repeat(1500)}`,
    'a wide table': `| ${'h'.repeat(700)} | b |\n|---|---|\n| ${'c'.repeat(900)} | ${'d'.repeat(900)} |`,
    'long code': `\`\`\`\n${Array.from({ length: 200 }, (_, index) => `call(${index})`).join('\n')}\n\`\`\``,
    paragraphs: Array.from({ length: 60 }, (_, index) => `Paragraph ${index}. ${sentences(index % 7)}`).join('\n\n'),
  }

  for (const [name, text] of Object.entries(documents)) {
    for (const overlap of [0, 30, 200]) {
      for (const strategy of ['structure', 'token'] as const) {
        it(`is never above the limit: ${name}, overlap ${overlap}, ${strategy}`, () => {
          const passages = chunk('a.md', text, { overlap, strategy })
          expect(passages.length).toBeGreaterThan(0)
          for (const passage of passages) {
            expect(passage.text.length).toBeLessThanOrEqual(estimateCharacters(usual.maxTokens))
            expect(passage.text).not.toMatch(/\p{Surrogate}/u)
          }
        })
      }
    }
  }

  it('loses no word', () => {
    const words = (text: string) => new Set(text.match(/\w+/g))
    const all = words(
      chunk('a.md', documents.prose)
        .map(({ text }) => text)
        .join(' '),
    )
    for (const word of words(sentences(120))) expect(all).toContain(word)
  })
})

describe('overlap', () => {
  it('starts a passage with the end of the previous one in the same section', () => {
    const passages = chunk('a.md', `# A\n\n${sentences(40)}\n\n# B\n\nother`, { overlap: 20 })
    const [first, second] = passages
    const shared = second?.text.split('\n')[0] ?? ''
    expect(shared.length).toBeGreaterThan(20)
    expect(first?.text.endsWith(shared)).toBe(true)
    expect(passages.at(-1)?.text).toBe('other')
  })

  it('is empty if it is not configured', () => {
    const [first, second] = chunk('a.md', `# A\n\n${sentences(40)}`)
    const numbers = (text = ''): readonly string[] => text.match(/number \d+/g) ?? []
    expect(numbers(first?.text).filter((number) => numbers(second?.text).includes(number))).toEqual([])
  })
})

describe('chunkDocument by tokens', () => {
  it('considers only the size and treats headings as text', () => {
    const [passage, ...others] = chunk('a.md', '# One\n\ntext\n\n## Two\n\nmore', { strategy: 'token' })
    expect(others).toEqual([])
    expect(passage).toMatchObject({ text: 'One\n\ntext\n\nTwo\n\nmore', headings: [] })
  })
})

describe('extraction', () => {
  const text =
    '1.1 "Device" means a probe or buoy. See clause 7 and sections 2.1, 2.3.\n\n**DO** means dissolved oxygen.'

  it('finds definitions and references', () => {
    const passages = chunk('a.txt', text)
    expect(passages.flatMap(({ definitions }) => definitions)).toEqual([
      { term: 'Device', meaning: 'a probe or buoy' },
      { term: 'DO', meaning: 'dissolved oxygen' },
    ])
    expect(passages.flatMap(({ references }) => references)).toEqual(['7', '2.1', '2.3'])
  })

  it('extracts nothing unless configured', () => {
    const passages = chunk('a.txt', text, { extractDefinitions: false, extractReferences: false })
    expect(passages.flatMap(({ definitions, references }) => [...definitions, ...references])).toEqual([])
  })
})
