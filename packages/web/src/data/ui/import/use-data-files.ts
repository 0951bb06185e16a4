import { useEffect, useState } from 'react'
import { useStore } from '../../../hooks/use-store.ts'
import type { DataServices } from '../../domain/data-services.ts'
import type { ImportSource } from '../../domain/import-plan.ts'
import type { ImportedTable } from '../../domain/imported-table.ts'
import { sourceOfFile, sourceOfText } from '../../import/source/source-file.ts'
import { fingerprintOf } from '../../storage/fingerprint.ts'
import { profileOf } from '../use-table-profile.ts'
import { acceptedFiles } from './state/import-labels.ts'
import { type AsFoundOptions, createImports, type Imports } from './state/imports.ts'
import { pastedName } from './state/pasted-table.ts'
import { chosenTables, likeBefore, lockedAs } from './state/plan-edits.ts'

/** Failures become a line of their file. `DataOverlays` shows the overlay. */
export type DataFiles = ReturnType<typeof useDataFiles>

export type DataOverlay =
  | { readonly kind: 'paste' }
  | { readonly kind: 'rejected'; readonly table: string }
  | { readonly kind: 'other-file'; readonly table: ImportedTable; readonly file: ImportSource }

/** All ways to add a file: drop, pick, paste, read again, re-attach. */
export function useDataFiles(services: DataServices) {
  const imports = useImports(services)
  const { listed: tables } = useStore(services.tables)
  const [overlay, setOverlay] = useState<DataOverlay | null>(null)
  const close = () => setOverlay(null)
  usePasted(imports)

  /** Uses this file for that table, whatever its previous file was. */
  function attach(file: ImportSource, table: ImportedTable): void {
    close()
    const options = { change: (plan) => likeBefore(plan, table), replaces: [table.name] } satisfies AsFoundOptions
    imports.addAsFound(file, options).catch(() => undefined) // its line shows the failure
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
    /** Shows the rejected rows of a table. */
    showRejected: (table: string) => setOverlay({ kind: 'rejected', table }),
    /** Reads the file of a table again. If the page does not have it, asks the user for it. */
    readAgain: (name: string) => void readAgain(name),
    /** Asks for the file of a table whose file is missing. */
    reattach: (table: ImportedTable) => void reattach(table),
  }
}

/** A file that could not be loaded now: loading is retried when it is read. */
const storedFile = (services: DataServices, { name, source }: ImportedTable): ImportSource => ({
  name: source.file,
  size: source.sizeBytes,
  async bytes() {
    const found = await services.sourceOf(name)
    if (found === null) throw new Error('The file is no longer in this browser.')
    return found.file.bytes()
  },
})

const made = new WeakMap<DataServices, Imports>()

/** One per services object: a file keeps loading while the user visits another page of Data. */
function useImports(services: DataServices): Imports {
  const known = made.get(services)
  if (known !== undefined) return known
  const imports = createImports({ services, profile: (table) => profileOf(services, table) })
  made.set(services, imports)
  return imports
}

/** Opens the file picker; resolves with none if the user cancels. */
function pickFiles({ isMany }: { readonly isMany: boolean }): Promise<readonly File[]> {
  const input = document.createElement('input')
  input.type = 'file'
  input.accept = acceptedFiles
  input.multiple = isMany
  // Some browsers drop an input outside of the document while the picker is open.
  input.hidden = true
  document.body.append(input)
  return new Promise((resolve) => {
    const end = () => {
      resolve([...(input.files ?? [])])
      input.remove()
    }
    input.addEventListener('change', end)
    input.addEventListener('cancel', end)
    input.click()
  })
}

/** Handles paste outside of fields: files, or text that is a table. Ignores prose. */
function usePasted(imports: Imports): void {
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      const { target, clipboardData } = event
      if (clipboardData === null || event.defaultPrevented || isField(target)) return
      const files = filesIn(clipboardData)
      if (files.length === 0) return
      event.preventDefault()
      imports.add(files)
    }
    addEventListener('paste', onPaste)
    return () => removeEventListener('paste', onPaste)
  }, [imports])
}

function filesIn(data: DataTransfer): readonly ImportSource[] {
  // Spreadsheets add a picture of the cells to the clipboard: the text is the table.
  const text = data.getData('text/plain')
  const name = pastedName(text)
  if (name !== null) return [sourceOfText(name, text)]
  return [...data.files].filter(({ type }) => !type.startsWith('image/')).map(sourceOfFile)
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('input, textarea, select, dialog, [contenteditable="true"]') !== null
