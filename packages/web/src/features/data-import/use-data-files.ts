import { useState } from 'react'
import { sourceOfFile } from '../../analysis/import/source-file.ts'
import type { SourceFile } from '../../analysis/import-plan.ts'
import { fingerprintOf } from '../../analysis/kept/fingerprint.ts'
import type { KeptTable } from '../../analysis/kept-table.ts'
import type { Workspace } from '../../analysis/workspace.ts'
import { useStore } from '../../hooks/use-store.ts'
import type { AsFoundOptions, Imports } from './imports.ts'
import { pickFiles } from './pick-files.ts'
import { chosenTables, likeBefore, lockedAs } from './plan-edits.ts'
import { useImports } from './use-imports.ts'
import { usePasted } from './use-pasted.ts'

/** What fails on the way becomes a line of its file. `DataOverlays` shows what lies over the page. */
export interface DataFiles {
  readonly imports: Imports
  readonly over: DataOver | null
  close(): void
  pick(): void
  paste(): void
  /** The rows of a table that were rejected. */
  showRejected(table: string): void
  /** The file of a table, read once more; where the page does not have it any more, the person is asked for it. */
  readAgain(table: string): void
  /** The file of a table that this browser does not have any more. */
  reattach(table: KeptTable): void
  /** This file for that table, whatever the table was read from before. */
  attach(file: SourceFile, table: KeptTable): void
}

export type DataOver =
  | { readonly kind: 'paste' }
  | { readonly kind: 'rejected'; readonly table: string }
  | { readonly kind: 'other-file'; readonly table: KeptTable; readonly file: SourceFile }

/** All the ways a file gets in: dropped on the window, picked, pasted, read again, brought back. */
export function useDataFiles(workspace: Workspace): DataFiles {
  const imports = useImports(workspace)
  const { listed: tables } = useStore(workspace.tables)
  const [over, setOver] = useState<DataOver | null>(null)
  const close = () => setOver(null)
  usePasted(imports.add)

  function attach(file: SourceFile, table: KeptTable): void {
    close()
    const options = { change: (plan) => likeBefore(plan, table), replaces: [table.name] } satisfies AsFoundOptions
    imports.addAsFound(file, options).catch(() => undefined) // its line says what failed
  }

  async function reattach(table: KeptTable): Promise<void> {
    const [chosen] = await pickFiles({ isMany: false })
    if (chosen === undefined) return
    const file = sourceOfFile(chosen)
    try {
      const isSame = (await fingerprintOf(await file.bytes())) === table.source.fingerprint
      if (isSame) attach(file, table)
      else setOver({ kind: 'other-file', table, file })
    } catch (error) {
      close()
      imports.refuse(file, error, [table.name])
    }
  }

  async function readAgain(name: string): Promise<void> {
    close()
    const table = tables?.find((one) => one.name === name)
    if (table === undefined) return
    try {
      const source = await workspace.sourceOf(name)
      if (source === null) return await reattach(table)
      const { file, plan } = source
      await imports.review(
        file,
        lockedAs(plan, tables ?? []),
        chosenTables(plan).map((one) => one.name),
      )
    } catch (error) {
      imports.refuse(keptFile(workspace, table), error, [name])
    }
  }

  return {
    ...{ imports, over, close, attach },
    pick: () => void pickFiles({ isMany: true }).then((files) => imports.add(files.map(sourceOfFile))),
    paste: () => setOver({ kind: 'paste' }),
    showRejected: (table) => setOver({ kind: 'rejected', table }),
    readAgain: (name) => void readAgain(name),
    reattach: (table) => void reattach(table),
  }
}

/** The file of a table that could not be had just now: asked for again when it is read. */
const keptFile = (workspace: Workspace, { name, source }: KeptTable): SourceFile => ({
  name: source.file,
  size: source.sizeBytes,
  async bytes() {
    const found = await workspace.sourceOf(name)
    if (found === null) throw new Error('The file is not in this browser any more.')
    return found.file.bytes()
  },
})
