// Converts Parquet to an Arrow stream.
import { messageOf } from '@quarterdeck/protocol'
import { ImportError } from '../source/import-error.ts'
import type { LoadWasm } from '../source/load-wasm.ts'

export interface ParquetToRead {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly file: string
  /** `null` reads all rows. */
  readonly maxRows: number | null
}

export async function readParquet({ bytes, file, maxRows }: ParquetToRead, loadWasm: LoadWasm): Promise<Uint8Array> {
  const parquet = await load(loadWasm)
  try {
    const options = maxRows === null ? { batchSize: 65_536 } : { limit: maxRows }
    return parquet.readParquet(bytes, options).intoIPCStream()
  } catch (error) {
    const reason = messageOf(error)
    throw new ImportError('unreadable', `"${file}" cannot be read as Parquet: ${reason}.`)
  }
}

/** Read from the footer of the file. */
export async function countParquetRows(bytes: Uint8Array<ArrayBuffer>, loadWasm: LoadWasm): Promise<number> {
  const { ParquetFile } = await load(loadWasm)
  const opened = await ParquetFile.fromFile(new Blob([bytes]))
  return opened.metadata().fileMetadata().numRows()
}

async function load(loadWasm: LoadWasm): Promise<typeof import('parquet-wasm/esm')> {
  const parquet = await import('parquet-wasm/esm')
  // A second call does nothing.
  await parquet.default({ module_or_path: loadWasm('parquet') })
  return parquet
}
