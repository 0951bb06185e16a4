// The object types of NetBox, with the names and paths of its API.
const byApp: Readonly<Record<string, string>> = {
  dcim: `sites site-groups regions locations racks rack-roles rack-reservations devices device-types device-roles
    manufacturers platforms modules module-bays module-types interfaces cables console-ports console-server-ports
    front-ports rear-ports device-bays power-feeds power-outlets power-panels power-ports inventory-items
    virtual-chassis virtual-device-contexts mac-addresses`,
  ipam: `ip-addresses ip-ranges prefixes aggregates vlans vlan-groups vrfs asns asn-ranges rirs fhrp-groups
    route-targets services`,
  circuits: 'circuits circuit-types circuit-terminations providers provider-accounts provider-networks',
  tenancy: 'tenants tenant-groups contacts contact-groups contact-roles contact-assignments',
  virtualization: 'virtual-machines clusters cluster-types cluster-groups virtual-disks',
  vpn: 'tunnels tunnel-groups tunnel-terminations l2vpns l2vpn-terminations',
  wireless: 'wireless-lans wireless-lan-groups wireless-links',
  extras: 'tags config-contexts custom-fields journal-entries',
}

const endpoints = new Map(
  Object.entries(byApp).flatMap(([app, names]) =>
    names.split(/\s+/).map((name) => [name, `api/${app}/${name}/`] as const),
  ),
)
// Names that exist in two apps.
endpoints.set('vm-interfaces', 'api/virtualization/interfaces/')
endpoints.set('ipam-roles', 'api/ipam/roles/')

const otherNames: ReadonlyMap<string, string> = new Map([
  ['vm', 'virtual-machines'],
  ['vms', 'virtual-machines'],
  ['ip', 'ip-addresses'],
  ['ips', 'ip-addresses'],
])

export const objectTypes: readonly string[] = [...endpoints.keys()]

export interface ObjectType {
  readonly name: string
  /** The path below the address of NetBox. */
  readonly endpoint: string
}

/** Accepts other spellings: "site", "ip_addresses", "dcim.device". Throws a sentence that lists all types. */
export function objectType(text: string): ObjectType {
  const [, app, bare = ''] = /^(?:([a-z]+)\.)?(.*)$/.exec(text.trim().toLowerCase()) ?? []
  const wanted = lettersOf(otherNames.get(bare) ?? bare)
  const spellings = [wanted, `${wanted}s`, `${wanted}es`, wanted.replace(/y$/, 'ies')]
  for (const [name, endpoint] of endpoints) {
    const [, ownApp, ownName = ''] = endpoint.split('/')
    // Within its app, a type may have a second name.
    const names = app === undefined ? [name] : app === ownApp ? [name, ownName] : []
    if (names.some((one) => spellings.includes(lettersOf(one)))) return { name, endpoint }
  }
  throw new Error(`There is no object type "${text.slice(0, 60)}". Use one of: ${objectTypes.join(', ')}`)
}

const lettersOf = (name: string): string => name.replaceAll(/[^a-z0-9]/g, '')
