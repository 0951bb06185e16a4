import { describe, expect, it } from 'vitest'
import { tokenize, tokensOf } from './sql-tokens.fixture.ts'
import { readTokens, withPlainSpaces } from './sql-tokens.ts'

describe('the tokens of a statement', () => {
  it('have the right text, whatever characters precede them', () => {
    expect(
      tokensOf("SELECT \"价 格\" AS Größe, 'it''s; 😀' -- no;\n FROM t;").map(({ kind, value }) => [kind, value]),
    ).toEqual([
      ['word', 'select'],
      ['name', '价 格'],
      ['word', 'as'],
      ['word', 'größe'],
      ['operator', ','],
      ['string', "it's; 😀"],
      ['word', 'from'],
      ['word', 't'],
      ['operator', ';'],
    ])
  })

  it('treat dollar quotes and comments as one token', () => {
    expect(tokensOf('SELECT $$a;b$$ /* ; */').map(({ value }) => value)).toEqual(['select', 'a;b'])
  })

  it('decode escaped characters like DuckDB', () => {
    const values = tokensOf("E'a\\x5fb' e'\\141\\'''\\u00e9' E'gr\\xc3\\xb6\\303\\237e 😀\\n'").map(
      ({ value }) => value,
    )
    expect(values).toEqual(['a_b', "a''é", 'größe 😀\n'])
  })

  it('are null if the tokenizer stopped before the end', () => {
    const { offsets, types } = tokenize('SELECT 1')
    expect(readTokens("SELECT 1 U&'x'; DROP TABLE t", { offsets, types })).toBeNull()
    expect(readTokens('SELECT 1; DROP TABLE t', { offsets, types })).toBeNull()
    expect(readTokens('SELECT 1 -- gone', { offsets, types })).toHaveLength(2)
  })

  it('are null if a string is not terminated', () => {
    expect(readTokens("SELECT 'x", { offsets: [0, 7], types: [4, 2] })).toBeNull()
  })

  it('accept spaces of other scripts, and keep them in strings and names', () => {
    expect(withPlainSpaces('SELECT\u00a0\'a\u00a0b\',\u3000"c\u00a0d"\ufeff')).toBe('SELECT \'a\u00a0b\', "c\u00a0d" ')
  })
})
