import type { CompiledQuery } from 'kysely'

/** A compiled query with a call's own parameters, in the order in which its blanks stand. */
export const withParameters = <Row>(query: CompiledQuery<Row>, parameters: readonly unknown[]): CompiledQuery<Row> => ({
  ...query,
  parameters,
})
