import { FileLock2, ListChecks, Send } from 'lucide-react'

/** Shown before the first file is added. */
export function WhatLeaves() {
  return (
    <section aria-labelledby="what-leaves">
      <h2 id="what-leaves" className="group">
        What leaves this browser
      </h2>
      <ul className="stack text-2 what-leaves">
        <li>
          <FileLock2 className="icon" aria-hidden="true" />
          <span>
            <b>Your files: never.</b> They are read, stored and searched here.
          </span>
        </li>
        <li>
          <Send className="icon" aria-hidden="true" />
          <span>
            <b>With a question:</b> its text, column names, types, summary numbers and the most frequent texts of each
            column. No row of your files unless you allow it, and no column you lock.
          </span>
        </li>
        <li>
          <ListChecks className="icon" aria-hidden="true" />
          <span>
            <b>All of it is logged:</b> every byte that left is listed beside the question, as it was sent.
          </span>
        </li>
      </ul>
    </section>
  )
}
