// The first time documents are read takes a while: whoever waits is told how far it is.
import type { Retrieval, ToolProgress } from '@quarterdeck/engine'
import { visibleText } from '@quarterdeck/protocol'
import { isInteractive, remark, type Terminal } from '../terminal/terminal.ts'

const pauseMs = 1000

/** A line now and then, and one when a tool's documents are read. Returns how to stop. */
export function showIngestion(terminal: Terminal, retrieval: Pick<Retrieval, 'onProgress'>): () => void {
  let last = Date.now()
  return retrieval.onProgress((progress) => {
    const isDone = progress.filesDone === progress.files
    if (!isDone && !progress.isWaiting && Date.now() - last < pauseMs) return
    last = Date.now()
    // The line that says what is going on is drawn anew by itself.
    if (isInteractive(terminal)) terminal.stderr.write('\r\u001B[2K')
    remark(terminal, progressLine(progress))
  })
}

const progressLine = ({ tool, files, filesDone, passages, isWaiting }: ToolProgress): string =>
  isWaiting
    ? `${visibleText(tool)}: waits for another process that reads the documents`
    : `${visibleText(tool)}: ${filesDone}/${files} files, ${passages} passages`
