import { acceptedFiles } from './state/import-labels.ts'

/** Asks the browser for files; none where the person thought better of it. */
export function pickFiles({ isMany }: { readonly isMany: boolean }): Promise<readonly File[]> {
  const input = document.createElement('input')
  input.type = 'file'
  input.accept = acceptedFiles
  input.multiple = isMany
  // Some browsers forget an input that is nowhere on the page while its window is open.
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
