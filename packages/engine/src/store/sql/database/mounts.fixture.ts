// Real disks for tests: one that is small enough to fill, and a folder nobody may write to.
import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface TestDisk extends AsyncDisposable {
  readonly folder: string
}

/** `null` where this user may not mount. */
export async function mountSmallDisk(size: string): Promise<TestDisk | null> {
  const folder = await mkdtemp(join(tmpdir(), 'quarterdeck-small-disk-'))
  return mounted(folder, ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder])
}

/** The same files at an address where they can only be read. Permissions do for anybody but root. */
export async function readOnlyView(folder: string): Promise<TestDisk | null> {
  if (process.getuid?.() !== 0) {
    // A folder nobody may write to still holds files that can be written: the log beside the database, for one.
    for (const name of await readdir(folder)) await chmod(join(folder, name), 0o400)
    await chmod(folder, 0o500)
    return { folder, [Symbol.asyncDispose]: () => chmod(folder, 0o700) }
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
      // Lazy: the database's last handles go only when they are collected.
      await run('umount', ['-l', folder])
      await rm(folder, { recursive: true })
    },
  }
}

/** Writes until nothing more fits. Remove the file to have space again. */
export async function fillDisk(file: string): Promise<void> {
  for (const size of [65_536, 4096]) {
    const chunk = Buffer.alloc(size, 'x')
    for (;;) {
      const isFull = await writeFile(file, chunk, { flag: 'a' }).then(
        () => false,
        (error: unknown) => {
          if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return true
          throw error
        },
      )
      if (isFull) break
    }
  }
}
