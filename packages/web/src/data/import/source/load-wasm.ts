export type WasmName = 'parquet' | 'sqlite'

/** Loads the WebAssembly module of a file reader. Rejects with `ImportError`. */
export type LoadWasm = (name: WasmName) => Promise<ArrayBuffer>
