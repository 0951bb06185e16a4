import { describe, expect, it } from 'vitest'
import { scrubError } from './scrub-error.ts'

const code = `SELECT region, CAST(note AS INTEGER) FROM deliveries d WHERE d.region = 'North' AND 1 = 1`
const names = ['deliveries', 'region', 'note', 'step_1', 'Größe in cm']
const scrub = (text: string, level = 1) => scrubError(text, { level, code, names, hidden: ['email', 'salaries'] })

describe('an error below level 2', () => {
  it.each([
    [
      `Conversion Error: Could not convert string 'ann@x.com' to INT32 when casting from source column note`,
      `Conversion Error: Could not convert string '…' to INT32 when casting from source column note`,
    ],
    [
      `Conversion Error: Could not convert string "ann@x.com" to INT32`,
      `Conversion Error: Could not convert string … to INT32`,
    ],
    [`Invalid Input Error: Ann Miller, 4711`, `Invalid Input Error: …`],
    [
      `Out of Range Error: Overflow in multiplication of INT32 (48213 * 99321)!`,
      `Out of Range Error: Overflow in … of INT32 (…)!`,
    ],
    [
      `Binder Error: Referenced column "regoin" not found in FROM clause!\nCandidate bindings: "region", "d.note"\n\nLINE 1: SELECT regoin FROM deliveries\n               ^`,
      `Binder Error: Referenced column … not found in FROM clause!\nCandidate bindings: "region", "d.note"\nLINE 1`,
    ],
    [
      `Catalog Error: Table with name deliveries does not exist!`,
      `Catalog Error: Table with name deliveries does not exist!`,
    ],
    [
      `TypeError: Cannot read properties of undefined (reading 'note')`,
      `TypeError: Cannot read properties of undefined (reading 'note')`,
    ],
    [`Ann`, '…'],
    [`^^^`, 'it failed; the words of the error are not shown at this privacy level'],
  ])('%j', (text, scrubbed) => {
    expect(scrub(text)).toBe(scrubbed)
    expect(scrub(text, 0)).toBe(scrubbed)
  })

  it('keeps names of any letters', () => {
    expect(scrub('column "Größe in cm" is missing')).toBe('column "Größe in cm" is missing')
  })

  it('does not spell a cell with letters that the query itself wrote', () => {
    const alphabet = `SELECT error(n) /* a n m i l e r */ FROM t`
    const spelled = scrubError('Invalid Input Error: a n n m i l l e r', {
      level: 1,
      code: alphabet,
      names: [],
      hidden: [],
    })
    expect(spelled).toBe('Invalid Input Error: a …')
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
