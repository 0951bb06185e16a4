/** The first two letters of a name. The full name is beside it or in its title. */
export function Avatar({ name }: { readonly name: string }) {
  return (
    <span className="avatar s" title={name} aria-hidden="true">
      {name.slice(0, 2).toUpperCase()}
    </span>
  )
}
