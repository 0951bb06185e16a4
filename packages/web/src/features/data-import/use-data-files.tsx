import { type ReactNode, useState } from 'react'
import { createPortal } from 'react-dom'
import { sourceOfFile } from '../../analysis/import/source-file.ts'
import type { SourceFile } from '../../analysis/import-plan.ts'
import { fingerprintOf } from '../../analysis/kept/fingerprint.ts'
import type { KeptTable } from '../../analysis/kept-table.ts'
import type { Workspace } from '../../analysis/workspace.ts'
import { useStore } from '../../hooks/use-store.ts'
import { DropTarget } from './drop-target.tsx'
import type { Imports } from './imports.ts'
import { OtherFileDialog } from './other-file-dialog.tsx'
import { PasteDialog } from './paste-dialog.tsx'
import { pickFiles } from './pick-files.ts'
import { likeBefore } from './plan-edits.ts'
import { RejectedDialog } from './rejected-dialog.tsx'
import { ReviewQueue } from './review-queue.tsx'
import { useImports } from './use-imports.ts'
import { usePasted } from './use-pasted.ts'

export interface DataFiles {
  readonly imports: Imports
  pick(): void
  paste(): void
  /** The rows of a table that were rejected. */
  showRejected(table: string): void
  /** The file of a table, read once more; where the page does not have it any more, the person is asked for it. */
  readAgain(table: string): void
  /** The file of a table that this browser does not have any more. */
  reattach(table: KeptTable): void
  /** Everything that lies over the page; it goes to the end of the document, wherever it is put. */
  readonly overlays: ReactNode
}

type Over =
  | { readonly kind: 'paste' }
  | { readonly kind: 'rejected'; readonly table: string }
  | { readonly kind: 'other-file'; readonly table: KeptTable; readonly file: SourceFile }

/** All the ways a file gets in: dropped on the window, picked, pasted, read again, brought back. */
export function useDataFiles(workspace: Workspace): DataFiles {
  const imports = useImports(workspace)
  const { tables, missing } = useStore(workspace.tables)
  const [over, setOver] = useState<Over | null>(null)
  const close = () => setOver(null)
  usePasted(imports.add)

  async function readAgain(table: string): Promise<void> {
    close()
    const source = await workspace.sourceOf(table)
    if (source === null) {
      const known = tables?.find(({ name }) => name === table)
      return known === undefined ? undefined : reattach(known)
    }
    imports.review(
      source.file,
      source.plan,
      source.plan.tables.filter(({ isChosen }) => isChosen).map(({ name }) => name),
    )
  }

  async function use(file: SourceFile, table: KeptTable): Promise<void> {
    close()
    // Its line says what failed.
    await imports.addAsFound(file, (plan) => likeBefore(plan, table)).catch(() => undefined)
  }

  async function reattach(table: KeptTable): Promise<void> {
    const [chosen] = await pickFiles({ isMany: false })
    if (chosen === undefined) return
    const file = sourceOfFile(chosen)
    const isSame = (await fingerprintOf(await file.bytes())) === table.source.fingerprint
    if (isSame) await use(file, table)
    else setOver({ kind: 'other-file', table, file })
  }

  const rejectedTable = over?.kind === 'rejected' ? tables?.find(({ name }) => name === over.table) : undefined
  return {
    imports,
    pick: () => void pickFiles({ isMany: true }).then((files) => imports.add(files.map(sourceOfFile))),
    paste: () => setOver({ kind: 'paste' }),
    showRejected: (table) => setOver({ kind: 'rejected', table }),
    readAgain: (table) => void readAgain(table),
    reattach: (table) => void reattach(table),
    overlays: createPortal(
      <>
        <DropTarget onFiles={(files) => imports.add(files.map(sourceOfFile))} />
        <ReviewQueue imports={imports} names={[...(tables ?? []), ...missing].map(({ name }) => name)} />
        {over?.kind === 'paste' && (
          <PasteDialog
            onClose={close}
            onFile={(file) => {
              close()
              imports.add([file])
            }}
          />
        )}
        {over?.kind === 'rejected' && rejectedTable !== undefined && (
          <RejectedDialog table={rejectedTable} onAgain={() => void readAgain(over.table)} onClose={close} />
        )}
        {over?.kind === 'other-file' && (
          <OtherFileDialog
            table={over.table}
            file={over.file}
            onUse={() => void use(over.file, over.table)}
            onChoose={() => void reattach(over.table)}
            onClose={close}
          />
        )}
      </>,
      document.body,
    ),
  }
}
