import { parseInput } from '../errors/parse-input.ts'
import type { Operation } from './operation.ts'
import type { OperationFunction } from './operation-types.ts'
import { pathNames } from './path-ids.ts'

/**
 * Operations as callers in the process get them: each one parses its input before it runs. Methods outside the table stay
 * as they are. The caller names the type: the compiler cannot follow the operations through their names.
 */
export const withParsedInput = <Service>(
  table: Readonly<Record<string, Operation>>,
  implementations: object,
): Service =>
  Object.fromEntries(Object.entries(implementations).map(([name, run]) => [name, parsing(run, table[name])])) as Service

function parsing(run: OperationFunction, operation: Operation | undefined): OperationFunction {
  const schema = operation?.body ?? operation?.query
  if (operation === undefined || schema === undefined) return run
  const at = pathNames(operation.path).length
  return async (...args) => run(...args.slice(0, at), parseInput(schema, args[at]), ...args.slice(at + 1))
}
