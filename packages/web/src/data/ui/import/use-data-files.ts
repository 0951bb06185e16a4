import { useState } from 'react'
import { useStore } from '../../../hooks/use-store.ts'
import type { DataServices } from '../../domain/data-services.ts'
import type { ImportSource } from '../../domain/import-plan.ts'
import type { ImportedTable } from '../../domain/imported-table.ts'
import { sourceOfFile } from '../../import/source/source-file.ts'
import { fingerprintOf } from '../../storage/fingerprint.ts'
import { pickFiles } from './pick-files.ts'
import type { AsFoundOptions, Imports } from './state/imports.ts'
import { chosenTables, likeBefore, lockedAs } from './state/plan-edits.ts'
import { useImports } from './use-imports.ts'
import { usePasted } from './use-pasted.ts'

/** What fails on the way becomes a line of its file. `DataOverlays` shows what lies over the page. */
export interface DataFiles {
  readonly imports: Imports
  readonly overlay: DataOverlay | null
  close(): void
  pick(): void
  paste(): void
  /** The rows of a table that were rejected. */
  showRejected(table: string): void
  /** The file of a table, read once more; where the page does not have it any more, the person is asked for it. */
  readAgain(table: string): void
  /** The file of a table that this browser does not have any more. */
  reattach(table: ImportedTable): void
  /** This file for that table, whatever the table was read from before. */
  attach(file: ImportSource, table: ImportedTable): void
}

export type DataOverlay =
  | { readonly kind: 'paste' }
  | { readonly kind: 'rejected'; readonly table: string }
  | { readonly kind: 'other-file'; readonly table: ImportedTable; readonly file: ImportSource }

/** All the ways a file gets in: dropped on the window, picked, pasted, read again, brought back. */
export function useDataFiles(services: DataServices): DataFiles {
  const imports = useImports(services)
  const { listed: tables } = useStore(services.tables)
  const [overlay, setOverlay] = useState<DataOverlay | null>(null)
  const close = () => setOverlay(null)
  usePasted(imports.add)

  function attach(file: ImportSource, table: ImportedTable): void {
    close()
    const options = { change: (plan) => likeBefore(plan, table), replaces: [table.name] } satisfies AsFoundOptions
    imports.addAsFound(file, options).catch(() => undefined) // its line says what failed
  }

  async function reattach(table: ImportedTable): Promise<void> {
    const [chosen] = await pickFiles({ isMany: false })
    if (chosen === undefined) return
    const file = sourceOfFile(chosen)
    try {
      const isSame = (await fingerprintOf(await file.bytes())) === table.source.fingerprint
      if (isSame) attach(file, table)
      else setOverlay({ kind: 'other-file', table, file })
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
      const source = await services.sourceOf(name)
      if (source === null) return await reattach(table)
      const { file, plan } = source
      await imports.review(
        file,
        lockedAs(plan, tables ?? []),
        chosenTables(plan).map((one) => one.name),
      )
    } catch (error) {
      imports.refuse(storedFile(services, table), error, [name])
    }
  }

  return {
    imports,
    overlay,
    close,
    attach,
    pick: () => void pickFiles({ isMany: true }).then((files) => imports.add(files.map(sourceOfFile))),
    paste: () => setOverlay({ kind: 'paste' }),
    showRejected: (table) => setOverlay({ kind: 'rejected', table }),
    readAgain: (name) => void readAgain(name),
    reattach: (table) => void reattach(table),
  }
}

/** The file of a table that could not be had just now: asked for again when it is read. */
const storedFile = (services: DataServices, { name, source }: ImportedTable): ImportSource => ({
  name: source.file,
  size: source.sizeBytes,
  async bytes() {
    const found = await services.sourceOf(name)
    if (found === null) throw new Error('The file is not in this browser any more.')
    return found.file.bytes()
  },
})
