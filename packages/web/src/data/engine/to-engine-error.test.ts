import { describe, expect, it } from 'vitest'
import { EngineError } from '../domain/query-engine.ts'
import { toEngineError, withoutHiddenNames } from './to-engine-error.ts'

const problemOf = (message: string) => {
  const { problem, message: words } = toEngineError(new Error(message))
  return [problem, words]
}

describe('toEngineError', () => {
  it('says when a restart helps', () => {
    expect(problemOf('Out of Memory Error: could not allocate block of size 256.0 KiB (3.1 GiB/3.1 GiB used)')[0]).toBe(
      'memory',
    )
    expect(problemOf('memory access out of bounds')[0]).toBe('dead')
    const trap = Object.assign(new Error('null function'), { name: 'RuntimeError' })
    expect(toEngineError(trap).problem).toBe('dead')
  })

  it('shows the affected line once', () => {
    const line = 'LINE 1: select x\n               ^'
    expect(problemOf(`Parser Error: syntax error at or near "x"\n\n${line}\n\n${line}`)).toEqual([
      'sql',
      `Parser Error: syntax error at or near "x"\n\n${line}`,
    ])
    expect(problemOf('{"exception_type":"Binder","exception_message":"no such column"}')).toEqual([
      'sql',
      'Binder Error: no such column',
    ])
  })

  it('names the missing extension, but not where to download it', () => {
    const [, words] = problemOf(
      'Catalog Error: Scalar Function with name "json_valid" is not in the catalog, but it exists in the json extension.\n\nPlease try installing and loading the json extension by running:\nINSTALL json;\nLOAD json;\n\nsee https://extensions.example/x',
    )
    expect(words).toMatch(
      /^Catalog Error: Scalar Function with name "json_valid" is not available\. This needs DuckDB's JSON/,
    )
    expect(words).not.toMatch(/INSTALL|LOAD|http/)
  })

  it('omits names of internal files and tables', () => {
    const id = '0b8ed1a5-3f1c-4a53-9f5e-0a1b2c3d4e5f'
    expect(problemOf(`Invalid Input Error: CSV Error in "up/${id}" near up/${id}, line 3`)[1]).toBe(
      'Invalid Input Error: CSV Error in the file near the file, line 3',
    )
    expect(problemOf(`Table "arriving ${id}" and quarterdeck_kept.main."arriving ${id}" and arriving ${id}`)[1]).toBe(
      'Table the new table and the new table and the new table',
    )
  })

  it('suggests to a model only names that it can read', () => {
    const error = (name: string) => new EngineError('sql', `Table with name x does not exist!\nDid you mean "${name}"?`)
    const messageFor = (name: string) => withoutHiddenNames(error(name), 'FROM x', ['salaries']).message
    expect(messageFor('sales')).toContain('Did you mean "sales"?')
    for (const name of ['salaries', 'quarterdeck_kept.main.sales', 'pg_class', 'duckdb_columns']) {
      expect(messageFor(name)).toBe('Table with name x does not exist!')
    }
  })
})
