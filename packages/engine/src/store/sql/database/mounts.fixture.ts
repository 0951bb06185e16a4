// Real disks for tests: one small enough to fill, and a folder that cannot be written to.
import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { hasErrorCode } from '@quarterdeck/protocol'

const run = promisify(execFile)

export interface TestDisk extends AsyncDisposable {
  readonly folder: string
}

/** `null` if this user may not mount. */
export async function mountSmallDisk(size: string): Promise<TestDisk | null> {
  const folder = await mkdtemp(join(tmpdir(), 'quarterdeck-small-disk-'))
  return mounted(folder, ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder])
}

/** The same files at a read-only path. File permissions do not restrict root. */
export async function readOnlyView(folder: string): Promise<TestDisk | null> {
  if (process.getuid?.() !== 0) {
    // Files in a read-only folder can still be writable, for example the write-ahead log.
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    const pathsOf = (isFolder: boolean) =>
      entries.filter((entry) => entry.isDirectory() === isFolder).map(({ parentPath, name }) => join(parentPath, name))
    const folders = [folder, ...pathsOf(true)]
    for (const file of pathsOf(false)) await chmod(file, 0o400)
    for (const one of folders) await chmod(one, 0o500)
    return {
      folder,
      async [Symbol.asyncDispose]() {
        for (const one of folders) await chmod(one, 0o700)
      },
    }
  }
  const view = `${folder}-view`
  await mkdir(view)
  const disk = await mounted(view, ['--bind', folder, view])
  if (disk !== null) await run('mount', ['-o', 'remount,bind,ro', view])
  return disk
}

async function mounted(folder: string, options: readonly string[]): Promise<TestDisk | null> {
  try {
    await run('mount', [...options])
  } catch {
    await rm(folder, { recursive: true })
    return null
  }
  return {
    folder,
    async [Symbol.asyncDispose]() {
      // Lazy, because the last database handles close only on garbage collection.
      await run('umount', ['-l', folder])
      await rm(folder, { recursive: true })
    },
  }
}

/** Writes until the disk is full. Remove the file to free the space. */
export async function fillDisk(file: string): Promise<void> {
  for (const size of [65_536, 4096]) {
    const chunk = Buffer.alloc(size, 'x')
    for (;;) {
      const isFull = await writeFile(file, chunk, { flag: 'a' }).then(
        () => false,
        (error: unknown) => {
          if (hasErrorCode(error, 'ENOSPC')) return true
          throw error
        },
      )
      if (isFull) break
    }
  }
}
