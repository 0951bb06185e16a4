// The part of sql.js that we use; it has no types.
declare module 'sql.js' {
  interface Statement {
    step(): boolean
    get(parameters: null, config: { readonly useBigInt: boolean }): readonly unknown[]
    getColumnNames(): readonly string[]
    free(): void
  }
  interface Database {
    exec(sql: string): readonly { readonly values: readonly (readonly unknown[])[] }[]
    run(sql: string): void
    prepare(sql: string): Statement
    export(): Uint8Array
    close(): void
  }
  interface SqlJs {
    readonly Database: new (bytes?: Uint8Array) => Database
  }
  const load: (options?: { readonly wasmBinary?: ArrayBuffer }) => Promise<SqlJs>

  // biome-ignore lint/style/noDefaultExport: that is how sql.js exports it.
  export default load
}
