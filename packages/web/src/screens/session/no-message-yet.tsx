export function NoMessageYet() {
  return (
    <div className="empty">
      <h2>Nothing has happened yet</h2>
      <p>Say below what should be done. Every step will appear here as it happens, and stays.</p>
    </div>
  )
}
