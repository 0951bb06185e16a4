// Prints progress while documents are read for the first time, which takes a while.
import type { Retrieval, ToolProgress } from '@quarterdeck/engine'
import { visibleText } from '@quarterdeck/protocol'
import { isInteractive, remark, type Terminal } from '../terminal/terminal.ts'

const pauseMs = 1000

/** Prints a line from time to time, and one when the documents of a tool are read. Returns a function that stops it. */
export function showIngestion(terminal: Terminal, retrieval: Pick<Retrieval, 'onProgress'>): () => void {
  let last = Date.now()
  return retrieval.onProgress((progress) => {
    const isDone = progress.filesDone === progress.files
    if (!isDone && !progress.isWaiting && Date.now() - last < pauseMs) return
    last = Date.now()
    // The progress line redraws itself.
    if (isInteractive(terminal)) terminal.stderr.write('\r\u001B[2K')
    remark(terminal, progressLine(progress))
  })
}

const progressLine = ({ tool, files, filesDone, passages, isWaiting }: ToolProgress): string =>
  isWaiting
    ? `${visibleText(tool)}: waiting for another process that reads the documents`
    : `${visibleText(tool)}: ${filesDone}/${files} files, ${passages} passages`
