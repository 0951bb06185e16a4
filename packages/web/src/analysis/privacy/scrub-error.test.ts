import { describe, expect, it } from 'vitest'
import { scrubError, scrubThrown } from './scrub-error.ts'

const code = `SELECT region, CAST(note AS INTEGER) FROM deliveries d WHERE d.region = 'North' AND 1 = 1`
const names = ['deliveries', 'region', 'note', 'step_1', 'Größe in cm']
const scrub = (text: string, level = 1) => scrubError(text, { level, code, names, hidden: ['email', 'salaries'] })

describe('an error below level 2', () => {
  it.each([
    [
      `Conversion Error: Could not convert string 'ann@x.com' to INT32 when casting from source column note`,
      `Conversion Error: Could not convert string … to INT32 when casting from source column note`,
    ],
    [
      `Conversion Error: Could not convert string "ann" 'x' to INT32`,
      `Conversion Error: Could not convert string … to INT32`,
    ],
    [
      `Conversion Error: Could not convert string 'it's the column' to INT32`,
      `Conversion Error: Could not convert string … to INT32`,
    ],
    [
      `Invalid Input Error: Could not parse string "the of\nError: a column" to\nthe of a\n  ^`,
      'Invalid Input Error: Could not parse string … to',
    ],
    [
      `Type VARCHAR with value the value of a column can't be cast to INT8`,
      'Type VARCHAR with value … cannot be cast to INT8',
    ],
    [`Invalid Input Error: Ann Miller, 4711`, `Invalid Input Error: …`],
    [
      `Out of Range Error: Overflow in multiplication of INT32 (48213 * 99321)!`,
      `Out of Range Error: Overflow in … of INT32 (…)!`,
    ],
    [
      `Binder Error: Referenced column "d.region" not found in FROM clause!\nCandidate bindings: "region", "d.note", "secret"\n\nLINE 1: SELECT regoin FROM deliveries\n               ^`,
      `Binder Error: Referenced column "d.region" not found in FROM clause!\nCandidates: "region", "d.note"\nLINE 1`,
    ],
    [
      `Catalog Error: Table with name deliveries does not exist!`,
      `Catalog Error: Table with name deliveries does not exist!`,
    ],
    [`Ann`, '…'],
    [``, 'It failed; the words of the error are not shown at this privacy level.'],
  ])('%j', (text, scrubbed) => {
    expect(scrub(text)).toBe(scrubbed)
    expect(scrub(text, 0)).toBe(scrubbed)
  })

  it('keeps names of any letters', () => {
    expect(scrub('column "Größe in cm" is missing')).toBe('column "Größe in cm" is missing')
  })
})

describe('what code threw, below level 2', () => {
  const thrown = (text: string, level = 1) =>
    scrubThrown(text, { level, code: 'return rows.map(row => row.note)', names, hidden: [] })
  const own = 'it threw an error of its own; its words are not shown at this privacy level.'

  it.each([
    ['ReferenceError: rows is not defined', 'ReferenceError: rows is not defined'],
    [
      `TypeError: Cannot read properties of undefined (reading 'note')`,
      `TypeError: Cannot read properties of undefined (reading 'note')`,
    ],
    ['ReferenceError: ann is not defined', own],
    ['TypeError: the value of a column is not a function', own],
    ['Error: ann@x.com', own],
    ['the of a', own],
  ])('%j', (text, said) => {
    expect(thrown(text)).toBe(said)
  })

  it('is said as it was from level 2 on', () => {
    expect(thrown('Error: ann@x.com', 2)).toBe('Error: ann@x.com')
  })
})

describe('an error from level 2 on', () => {
  it('may say what stood in a cell, but no name that is never sent', () => {
    const text = `Could not convert 'ann@x.com' … Candidates: "email", "t.EMAIL", salaries, emailed`
    expect(scrub(text, 2)).toBe(`Could not convert 'ann@x.com' … Candidates: "…", "t.…", …, emailed`)
  })

  it('is cut', () => {
    expect(scrub('x'.repeat(10_000), 3).length).toBe(2000)
  })
})
