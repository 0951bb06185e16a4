// The files that git tracks, read from its index. Git itself is never run: a repository can make it run programs.
import { join } from 'node:path'
import { folderNoFollow, readFileNoFollow } from '../cli/no-follow-files.ts'

const maxIndexBytes = 64 * 1024 * 1024
const headerBytes = 12
/** Times, ids, modes and sizes, then the id of the content. */
const fixedBytes = 60
const flagsBytes = 2
const nameMask = 0xfff
const extendedFlag = 0x4000

/** Empty if this folder has no repository or an index version that is not supported. */
export async function trackedFiles(cwd: string): Promise<ReadonlySet<string>> {
  const folder = folderNoFollow(cwd, ['.git'])
  const index = folder === null ? null : await readFileNoFollow(join(folder, 'index'), maxIndexBytes)
  return new Set(index === null ? [] : namesIn(index))
}

function* namesIn(index: Buffer): Generator<string> {
  if (index.length < headerBytes || index.toString('latin1', 0, 4) !== 'DIRC') return
  const version = index.readUInt32BE(4)
  // Version 4 compresses names against the previous entry.
  if (version !== 2 && version !== 3) return
  const count = index.readUInt32BE(8)
  let offset = headerBytes
  for (let entry = 0; entry < count; entry += 1) {
    const flagsAt = offset + fixedBytes
    if (flagsAt + flagsBytes > index.length) return
    const flags = index.readUInt16BE(flagsAt)
    const nameAt = flagsAt + flagsBytes + ((flags & extendedFlag) === 0 ? 0 : 2)
    const end = (flags & nameMask) === nameMask ? index.indexOf(0, nameAt) : nameAt + (flags & nameMask)
    if (end < nameAt || end > index.length) return
    yield index.toString('utf8', nameAt, end)
    // Entries are padded with one to eight zero bytes.
    offset += Math.floor((end - offset) / 8) * 8 + 8
  }
}
