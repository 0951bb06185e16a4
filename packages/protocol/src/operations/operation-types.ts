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

type BodyOrQuery<One extends Operation> = One extends { readonly body: infer Body extends z.ZodType }
  ? [input: z.input<Body>]
  : One extends { readonly query: infer Query extends z.ZodType }
    ? [input: z.input<Query>]
    : []

/**
 * An implementation. Changes also get `by`, the name of the caller for the log, and `seed`, from which the ids of new
 * things are made: a retry makes the same thing, once.
 */
export type Implementation<One extends Operation> = (
  ...args: [
    ...Ids<PathNames<One['path']>>,
    ...BodyOrQuery<One>,
    ...(One['method'] extends 'get' ? [] : [by: string, seed?: string]),
  ]
) => Promise<z.output<One['reply']>>

export type Implementations<Table extends Readonly<Record<string, Operation>>> = {
  readonly [Name in keyof Table]: Implementation<Table[Name]>
}

/** Any implementation or client method. Its arguments have the types that the table declares. */
export type Run = (...args: readonly unknown[]) => Promise<unknown>

/** The compiler cannot follow the types of an operation through its name: only these two functions cast. */
export const implementationOf = (implementations: object, name: string): Run =>
  (implementations as Readonly<Record<string, Run>>)[name] as Run

export const mapOperations = <Runs>(
  table: Readonly<Record<string, Operation>>,
  make: (operation: Operation, name: string) => Run,
): Runs => Object.fromEntries(Object.entries(table).map(([name, one]) => [name, make(one, name)])) as Runs

/** An input without required fields may be left out. */
type Optional<Input extends readonly unknown[]> = Input extends [infer Value]
  ? Record<never, never> extends Value
    ? [input?: Value]
    : [input: Value]
  : []

/** A client method. Ids are plain strings. */
export type ClientMethod<One extends Operation, Options> = (
  ...args: [...Strings<PathNames<One['path']>>, ...Optional<BodyOrQuery<One>>, options?: Options]
) => Promise<z.output<One['reply']>>
