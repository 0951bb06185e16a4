import { describe, expect, it } from 'vitest'
import { scrubError, scrubThrown } from './scrub-error.ts'

const code = `SELECT region, CAST(note AS INTEGER), regoin
  -- z( e( b( r( a(
  FROM deliveries d WHERE d.region = 'z' AND sum(1) = 1`
const names = ['deliveries', 'region', 'note', 'step_1', 'Größe in cm']
const scrub = (text: string, level = 1, fromCells = false) =>
  scrubError(text, { level, code, names, fromCells, hidden: ['email', 'salaries'] })

const shut = 'details of the error are not shown at this privacy level.'
const converted =
  'Conversion Error: Could not convert string … to INT32: check the values for which try_cast returns NULL.'

describe('an error below level 2', () => {
  it.each([
    [
      `Conversion Error: Could not convert string 'ann@x.com' to INT32 when casting from source column note\n\nLINE 1: x`,
      converted,
    ],
    [`Conversion Error: Could not convert string 'z e b r a' to INT32`, converted],
    [`Conversion Error: Could not convert string 'a' to DATE\nLINE 3: 'b' to INT32`, converted],
    [
      `Conversion Error: date field value out of range: "ann"`,
      'Conversion Error: A text is not a valid date or time for this type: use try_cast or try_strptime.',
    ],
    [
      `Conversion Error: extract specifier "ann" not recognized`,
      `Conversion Error: a value could not be converted: try_cast returns NULL instead; ${shut}`,
    ],
    [
      `Invalid Input Error: Could not parse string "the of\nError: a column" to\nthe of a\n  ^`,
      'Invalid Input Error: A text does not match the format given to strptime: use try_strptime.',
    ],
    [
      `Conversion Error: Type INT64 with value 4711 can't be cast because the value is out of range for the destination type INT8`,
      'Conversion Error: A value does not fit INT8.',
    ],
    [`Invalid Input Error: z, e b r a`, `Invalid Input Error: a function did not accept an argument; ${shut}`],
    [
      `Out of Range Error: Overflow in multiplication of INT32 (48213 * 99321)!`,
      `Out of Range Error: Overflow in a calculation of INT32: cast to a larger type first.`,
    ],
    [
      `Binder Error: Referenced column "regoin" not found in FROM clause!\nCandidate bindings: "region", "d.note", "secret"\n\nLINE 1: SELECT regoin FROM deliveries\n               ^`,
      `Binder Error: Referenced column "regoin" not found in FROM clause!\nCandidates: "region", "d.note"\nLINE 1`,
    ],
    [
      `Binder Error: Referenced column "z.e.b" not found in FROM clause!\n\nLINE 9999: x`,
      `Binder Error: a name, a type or the position of an expression is wrong; ${shut}`,
    ],
    [
      `Binder Error: No function matches the given name and argument types 'sum(VARCHAR, DECIMAL(18,3))'. You might need to add explicit type casts.\n\tCandidate functions:\n\tsum(DECIMAL) -> DECIMAL`,
      `Binder Error: No function matches the given name and argument types 'sum(VARCHAR, DECIMAL(18,3))'.`,
    ],
    [
      `Binder Error: column "Größe in cm" must appear in the GROUP BY clause or must be part of an aggregate function.\nEither add it`,
      `Binder Error: column "Größe in cm" must appear in the GROUP BY clause or must be part of an aggregate function.`,
    ],
    [
      `Catalog Error: Table with name deliveries does not exist!\nDid you mean "secrets"?`,
      `Catalog Error: Table with name deliveries does not exist!`,
    ],
    [`Parser Error: syntax error at or near ")"\n\nLINE 2: x`, `Parser Error: syntax error at or near ")"\nLINE 2`],
    [`Ann`, `It failed; ${shut}`],
    [``, `It failed; ${shut}`],
  ])('%j', (text, scrubbed) => {
    expect(scrub(text)).toBe(scrubbed)
    expect(scrub(text, 0)).toBe(scrubbed)
  })

  it('contains no name if column names can contain cells', () => {
    expect(scrub('Binder Error: Referenced column "note" not found in FROM clause!\n\nLINE 1: x', 1, true)).toBe(
      `Binder Error: a name, a type or the position of an expression is wrong; ${shut}`,
    )
  })
})

describe('an exception of code, below level 2', () => {
  const thrown = (text: string, level = 1) =>
    scrubThrown(text, { level, code: 'return rows.map(row => row.note)', names, fromCells: true, hidden: [] })
  const own = 'it threw its own error; the message is not shown at this privacy level.'

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
  ])('%j', (text, expected) => {
    expect(thrown(text)).toBe(expected)
  })

  it('is unchanged from level 2 on', () => {
    expect(thrown('Error: ann@x.com', 2)).toBe('Error: ann@x.com')
  })
})

describe('an error from level 2 on', () => {
  it('may contain a cell, but no locked name', () => {
    const text = `Could not convert 'ann@x.com' … Candidates: "email", "t.EMAIL", salaries, emailed`
    expect(scrub(text, 2)).toBe(`Could not convert 'ann@x.com' … Candidates: "…", "t.…", …, emailed`)
  })

  it('is cut to the limit', () => {
    expect(scrub('x'.repeat(10_000), 3).length).toBe(2000)
  })
})
