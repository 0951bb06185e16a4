/** Before the first question. */
export function NoQuestionYet({ hasTables }: { readonly hasTables: boolean }) {
  return (
    <div className="empty">
      <h2>{hasTables ? 'Ask your data' : 'Add a table first'}</h2>
      <p>
        {hasTables
          ? 'Ask in your own words. Every step of the answer can be opened, changed and run again, and every number leads to the cell that proves it.'
          : 'Drop a file anywhere on this page, or add one at the left. It stays in this browser; a question you have typed is kept.'}
      </p>
    </div>
  )
}
