// A real disk that is small enough to fill.
import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { hasErrorCode } from '@quarterdeck/protocol'
import { newFolder } from '../support/server/serve.ts'

const run = promisify(execFile)

export interface SmallDisk extends AsyncDisposable {
  readonly folder: string
}

/** `null` if this user may not mount. */
export async function mountSmallDisk(size: string): Promise<SmallDisk | null> {
  const folder = await newFolder('small-disk')
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder])
  } catch {
    await rm(folder, { recursive: true })
    return null
  }
  return {
    folder,
    // Lazy unmount: processes may still have open files.
    [Symbol.asyncDispose]: async () => void (await run('umount', ['-l', folder])),
  }
}

/** Writes until the disk is full. Removing the file frees the space. */
export async function fillDisk(file: string): Promise<void> {
  for (const size of [1_048_576, 65_536, 4096]) {
    const chunk = Buffer.alloc(size, 'x')
    while (await fits(file, chunk));
  }
}

const fits = (file: string, chunk: Buffer): Promise<boolean> =>
  writeFile(file, chunk, { flag: 'a' }).then(
    () => true,
    (error: unknown) => {
      if (hasErrorCode(error, 'ENOSPC')) return false
      throw error
    },
  )
