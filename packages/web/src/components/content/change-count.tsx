export function ChangeCount({ added, removed }: { readonly added: number; readonly removed: number }) {
  return (
    <span className="num">
      {added > 0 && <span className="plus">+{added}</span>}
      {added > 0 && removed > 0 && ' '}
      {removed > 0 && <span className="minus">−{removed}</span>}
    </span>
  )
}
