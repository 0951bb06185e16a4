// Plans the mounts in a process's own mount namespace: which files it can write, only read, or not see.
import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { isBelow, isWithin } from '../system/path-inside.ts'
import { realPath, requireNoLink } from './real-path.ts'

/** Paths are absolute. A path that does not exist is skipped. */
export interface FileView {
  readonly cwd: string
  /** Folders that the process may write to, links resolved when they were checked. Everything else is read-only. */
  readonly writable: readonly string[]
  /** Files and folders that stay read-only inside a writable folder. */
  readonly locked: readonly string[]
  /** Files and folders that the process sees empty. */
  readonly hidden: readonly string[]
  /** Folders that stay visible, read-only, below a hidden folder or below /tmp. The working directory always does. */
  readonly visible: readonly string[]
  /** The folder of its own that the process sees as /tmp. */
  readonly tmp: string
}

export type MountPoint =
  | { readonly kind: 'writable'; readonly path: string; readonly source: string; readonly inode: string }
  | { readonly kind: 'visible' | 'hiddenFolder' | 'hiddenFile' | 'locked' | 'pinned'; readonly path: string }

export type MountPlan = Readonly<ReturnType<typeof planMounts>>

const sharedTmp = '/tmp'

export function planMounts(view: FileView) {
  const writable = existing(view.writable.map(requireNoLink))
  const tmp = realPath(sharedTmp)
  const hasPrivateTmp = !writable.some((folder) => isWithin({ path: tmp, folder }))
  const covering = new Map<string, MountPoint>()
  for (const path of existing(view.hidden)) {
    const kind = statSync(path).isDirectory() ? 'hiddenFolder' : 'hiddenFile'
    covering.set(path, { kind, path })
  }
  const mountWritable = (path: string, source: string) =>
    covering.set(path, { kind: 'writable', path, source, inode: inodeOf(source) })
  for (const path of writable) mountWritable(path, path)
  if (hasPrivateTmp) mountWritable(tmp, realPath(view.tmp))

  const mountPoints = new Map(covering)
  const nearest = (path: string) =>
    [...mountPoints.values()]
      .filter((mountPoint) => isWithin({ path, folder: mountPoint.path }))
      .toSorted((a, b) => b.path.length - a.path.length)[0]
  const isFolder = (path: string) => statSync(path).isDirectory()
  for (const path of existing([...view.visible, view.cwd])
    .filter(isFolder)
    .toSorted(byLength)) {
    const cover = nearest(path)
    if (cover?.kind === 'hiddenFolder' || (hasPrivateTmp && cover?.path === tmp)) {
      mountPoints.set(path, { kind: 'visible', path })
    }
  }
  // The process could rename a folder that contains a mount point and put another one in its place. It cannot rename a
  // mount point, so these folders become mount points as well.
  const pin = (path: string, root: string) => {
    for (let folder = dirname(path); isBelow({ path: folder, folder: root }); folder = dirname(folder)) {
      if (!mountPoints.has(folder)) mountPoints.set(folder, { kind: 'pinned', path: folder })
    }
  }
  const writableOver = (path: string) =>
    writable.filter((folder) => isBelow({ path, folder })).toSorted((a, b) => b.length - a.length)[0]
  for (const path of existing(view.locked)) {
    const root = writableOver(path)
    if (root === undefined || covering.has(path)) continue
    mountPoints.set(path, { kind: 'locked', path })
    pin(path, root)
  }
  for (const { kind, path } of [...mountPoints.values()]) {
    const isOver = kind === 'hiddenFile' || kind === 'hiddenFolder' || kind === 'writable'
    const root =
      (isOver ? writableOver(path) : undefined) ?? (hasPrivateTmp && isBelow({ path, folder: tmp }) ? tmp : undefined)
    if (root !== undefined) pin(path, root)
  }
  /** In the order of mounting: a folder comes before everything inside it. */
  const ordered = [...mountPoints.values()].toSorted((a, b) => byLength(a.path, b.path))
  return {
    /** Folders to keep aside while they are still writable, before everything becomes read-only. */
    writable: ordered.filter((mountPoint) => mountPoint.kind === 'writable'),
    /** Folders to keep aside once everything is read-only, before others are mounted over them. */
    visible: ordered.filter(({ kind }) => kind === 'visible'),
    mountPoints: ordered,
  }
}

/** Compared after mounting: the folder may be replaced between this check and the mount. */
function inodeOf(folder: string): string {
  const { dev, ino } = statSync(folder, { bigint: true })
  return `${dev}:${ino}`
}

const existing = (paths: readonly string[]): readonly string[] => [...new Set(paths.filter(existsSync).map(realPath))]

const byLength = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : 1)
