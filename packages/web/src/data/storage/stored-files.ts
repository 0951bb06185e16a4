// Stores file contents by fingerprint, atomically.
import { full } from './browser-storage.ts'
import type { Records } from './records.ts'

export interface StoredFiles {
  /** Rejects if there is no space. */
  put(fingerprint: string, bytes: Uint8Array): Promise<void>
  get(fingerprint: string): Promise<Uint8Array | null>
  /** Whether it is complete: a crash may leave a part. */
  has(fingerprint: string, sizeBytes: number): Promise<boolean>
  remove(name: string): Promise<void>
  /** Includes leftovers of interrupted writes. */
  names(): Promise<readonly string[]>
}

/** Uses the origin private file system; `null` if the browser has none that is writable. */
export async function openFiles(folderName: string): Promise<StoredFiles | null> {
  try {
    const root = await navigator.storage.getDirectory()
    const folder = await root.getDirectoryHandle(folderName, { create: true })
    if (!('createWritable' in FileSystemFileHandle.prototype)) return null
    return filesIn(folder)
  } catch {
    // No such file system for this page: the records hold the bytes.
    return null
  }
}

function filesIn(folder: FileSystemDirectoryHandle): StoredFiles {
  async function find(fingerprint: string): Promise<File | null> {
    try {
      return await (await folder.getFileHandle(fingerprint)).getFile()
    } catch (error) {
      if (isMissing(error)) return null
      throw error
    }
  }

  return {
    async put(fingerprint, bytes) {
      const handle = await folder.getFileHandle(fingerprint, { create: true })
      // Written to a temporary file that replaces the file on close.
      const writing = await handle.createWritable()
      try {
        // Never backed by shared memory: files and fetched bytes are not.
        await writing.write(bytes as Uint8Array<ArrayBuffer>)
        await writing.close()
      } catch (error) {
        await writing.abort().catch(() => undefined) // it is already gone
        await folder.removeEntry(fingerprint).catch(() => undefined) // an empty file is removed later
        throw (await hasSpaceFor(bytes.length)) ? error : full(error)
      }
    },
    async get(fingerprint) {
      const file = await find(fingerprint)
      return file === null ? null : new Uint8Array(await file.arrayBuffer())
    },
    has: async (fingerprint, sizeBytes) => (await find(fingerprint))?.size === sizeBytes,
    async remove(name) {
      try {
        await folder.removeEntry(name)
      } catch (error) {
        if (!isMissing(error)) throw error
      }
    },
    async names() {
      const names: string[] = []
      for await (const name of folder.keys()) names.push(name)
      return names
    },
  }
}

/** Chromium reports a full disk by name or as an aborted write. */
async function hasSpaceFor(sizeBytes: number): Promise<boolean> {
  const { quota, usage } = await navigator.storage.estimate()
  return quota === undefined || usage === undefined || usage + sizeBytes <= quota
}

const isMissing = (error: unknown): boolean => error instanceof DOMException && error.name === 'NotFoundError'

export function filesInRecords(records: Records): StoredFiles {
  async function get(fingerprint: string): Promise<Uint8Array | null> {
    const found = await records.get('files', fingerprint)
    return found instanceof Uint8Array ? found : null
  }

  return {
    get,
    put: (fingerprint, bytes) => records.write([{ store: 'files', key: fingerprint, value: bytes }]),
    // A record is complete or absent, and reading its key does not load it.
    has: async (fingerprint) => (await records.keys('files')).includes(fingerprint),
    remove: (name) => records.write([{ store: 'files', removed: name }]),
    names: async () => (await records.keys('files')).map(String),
  }
}
