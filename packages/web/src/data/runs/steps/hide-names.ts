import type { QueryEngine } from '../../domain/query-engine.ts'

/** The same engine for a model that has even less than it says itself. */
export function hideNames(engine: QueryEngine, names: () => readonly string[]): QueryEngine {
  const less = <Options extends { readonly author: string; readonly hidden?: readonly string[] }>(options: Options) =>
    options.author === 'model' ? { ...options, hidden: [...(options.hidden ?? []), ...names()] } : options
  return {
    ...engine,
    read: (sql, options) => engine.read(sql, less(options)),
    plan: (sql, options) => engine.plan(sql, less(options)),
  }
}
