import { describe, expect, it } from 'vitest'
import { exactTerms, holdsTerm, wordsOf } from './query-terms.ts'

describe('exactTerms', () => {
  it('finds identifiers and quoted phrases', () => {
    expect(exactTerms('What does clause 4.2 say?')).toEqual(['4.2'])
    expect(exactTerms('error E-117 on BW-2140, SEV2 (CVE-2031-11873).')).toEqual([
      'E-117',
      'BW-2140',
      'SEV2',
      'CVE-2031-11873',
    ])
    expect(exactTerms('who wrote "late payments bear interest"?')).toEqual(['late payments bear interest'])
    expect(exactTerms('how do I get my money back')).toEqual([])
  })
})

describe('holdsTerm', () => {
  it('does not find a number inside a longer one', () => {
    expect(holdsTerm('see 4.2.', '4.2')).toBe(true)
    for (const text of ['4.2.1', '14.2', '4.4.2', '4.25']) expect(holdsTerm(text, '4.2')).toBe(false)
  })

  it('ignores case in names with digits, but not in plain letters', () => {
    expect(holdsTerm('bw-2140', 'BW-2140')).toBe(true)
    expect(holdsTerm('what to do', 'DO')).toBe(false)
    expect(holdsTerm('DO is low', 'DO')).toBe(true)
  })

  it('finds a phrase across a line break', () => {
    expect(holdsTerm('late\n payments', 'late payments')).toBe(true)
  })
})

describe('wordsOf', () => {
  it('keeps identifiers together and drops stop words', () => {
    expect(wordsOf('What is the price of BW-3110?')).toEqual(['price', 'bw-3110'])
  })

  it('keeps stop words if there is nothing else', () => {
    expect(wordsOf('To be or not to be')).toEqual(['to', 'be', 'or', 'not'])
  })
})
