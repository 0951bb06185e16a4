// The types of an operation's implementation and of its client method. Arguments are the ids of the path in its order,
// then the body or the query if the operation has one.
import type { z } from 'zod'
import type { Operation, PathNames } from './operation.ts'
import type { PathIdName, pathIds } from './path-ids.ts'

type IdOf<Name> = Name extends PathIdName ? z.output<(typeof pathIds)[Name]['schema']> : never

/** The checked ids of a path, such as `[SessionId, UserMessageId]`. */
type Ids<Names extends readonly string[]> = { [Index in keyof Names]: IdOf<Names[Index]> }

/** One string for each id of a path. */
type Strings<Names extends readonly string[]> = { [Index in keyof Names]: string }

/** A value as a caller writes it, or as its schema returns it. */
type SideOf<Schema extends z.ZodType, Side> = Side extends 'input' ? z.input<Schema> : z.output<Schema>

/** The body or the query. */
type Input<One extends Operation, Side extends 'input' | 'output'> = One extends {
  readonly body: infer Body extends z.ZodType
}
  ? [input: SideOf<Body, Side>]
  : One extends { readonly query: infer Query extends z.ZodType }
    ? [input: SideOf<Query, Side>]
    : []

type Method<One extends Operation, Side extends 'input' | 'output'> = (
  ...args: [
    ...Ids<PathNames<One['path']>>,
    ...Input<One, Side>,
    ...(One['method'] extends 'get' ? [] : [by: string, seed?: string]),
  ]
) => Promise<z.output<One['reply']>>

type Table = Readonly<Record<string, Operation>>

/**
 * Implementations get parsed input. Changes also get `by`, the name of the caller for the log, and `seed`, from which
 * the ids of new things are made: a retry makes the same thing, once.
 */
export type Implementations<Operations extends Table> = {
  readonly [Name in keyof Operations]: Method<Operations[Name], 'output'>
}

/** The same methods for callers in the process: they parse their input. */
export type ParsingMethods<Operations extends Table> = {
  readonly [Name in keyof Operations]: Method<Operations[Name], 'input'>
}

/** Any implementation or client method. Its arguments have the types that the table declares. */
export type OperationFunction = (...args: readonly unknown[]) => Promise<unknown>

/** The compiler cannot follow the types of an operation through its name: only these two functions and `withParsedInput` cast. */
export const implementationOf = (implementations: object, name: string): OperationFunction =>
  (implementations as Readonly<Record<string, OperationFunction>>)[name] as OperationFunction

export const mapOperations = <Mapped>(
  table: Table,
  make: (operation: Operation, name: string) => OperationFunction,
): Mapped => Object.fromEntries(Object.entries(table).map(([name, one]) => [name, make(one, name)])) as Mapped

/** An input without required fields may be left out. */
type Optional<Given extends readonly unknown[]> = Given extends [infer Value]
  ? Record<never, never> extends Value
    ? [input?: Value]
    : [input: Value]
  : []

/** A client method. Ids are plain strings. */
export type ClientMethod<One extends Operation, Options> = (
  ...args: [...Strings<PathNames<One['path']>>, ...Optional<Input<One, 'input'>>, options?: Options]
) => Promise<z.output<One['reply']>>
