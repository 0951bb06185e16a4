// Builds the inventory from the company's lists. The result is the same on every machine and in every run.
import * as company from './company.mjs'
import { createTables } from './tables.mjs'

/** @typedef {import('./tables.mjs').Row} Row */
/** @typedef {import('./tables.mjs').Tables} Tables */

/** @returns {Tables} */
export function buildInventory() {
  const tables = createTables()
  addRegions(tables)
  addKinds(tables)
  for (const [index, site] of company.sites.entries()) addSite(tables, site, index)
  addVirtualMachines(tables)
  addChanges(tables)
  return tables
}

/** @param {Tables} tables */
function addRegions({ add, find }) {
  for (const [slug, name, parent] of company.regions) {
    add('dcim/regions', { name, slug, parent: parent === null ? null : find('dcim/regions', parent) })
  }
}

/** @param {Tables} tables */
function addKinds({ add, find }) {
  for (const [slug, name] of company.tenants) add('tenancy/tenants', { name, slug })
  for (const [slug, name] of company.providers) add('circuits/providers', { name, slug })
  add('circuits/circuit-types', { name: 'Internet transit', slug: 'internet-transit' })
  add('virtualization/cluster-types', { name: 'Virtual machines', slug: 'virtual-machines' })
  for (const [slug, model, maker, role] of company.deviceTypes) {
    const manufacturer = maker.toLowerCase()
    if (find('dcim/manufacturers', manufacturer) === null)
      add('dcim/manufacturers', { name: maker, slug: manufacturer })
    if (find('dcim/device-roles', role) === null) add('dcim/device-roles', { name: words(role), slug: role })
    const made = { manufacturer: find('dcim/manufacturers', manufacturer), model, slug, u_height: 1 }
    add('dcim/device-types', made, { display: model })
  }
}

/**
 * @param {Tables} tables
 * @param {import('./company.mjs').SiteRow} row
 * @param {number} index
 */
function addSite(tables, [slug, name, regionSlug, kind], index) {
  const { add, find } = tables
  const region = find('dcim/regions', regionSlug)
  const above = company.regions.find(([one]) => one === regionSlug)?.[2] ?? null
  const regions = [region, above === null ? null : find('dcim/regions', above)]
  const status = choice(company.siteStatus[slug] ?? 'active')
  const tenant = find('tenancy/tenants', kind === 'terminal' ? 'terminal-operations' : 'corporate-it')
  const facility = `${slug.slice(0, 3).toUpperCase()}-${index + 1}`
  const site = add(
    'dcim/sites',
    { name, slug, status, region, tenant, facility, description: words(kind) },
    { regions },
  )
  const racks = Array.from({ length: kind === 'office' ? 1 : kind === 'hub' ? 4 : 2 }, (_, number) =>
    add(
      'dcim/racks',
      { name: `${slug}-r${number + 1}`, site, status: choice('active'), tenant, u_height: 42 },
      { regions },
    ),
  )
  addNetworks(tables, { site, regions, index })
  const devices = addDevices(tables, { site, regions, racks, kind, index })
  addCircuits(tables, { site, regions, index, isHub: kind === 'hub' })
  addCables(tables, devices)
}

/**
 * @param {Tables} tables
 * @param {{ site: Row, regions: (Row | null)[], index: number }} at
 */
function addNetworks({ add, find }, { site, regions, index }) {
  const scope = { scope_type: 'dcim.site', scope: site }
  const block = {
    prefix: `10.${index + 10}.0.0/16`,
    family: family4,
    status: choice('container'),
    is_pool: false,
    ...scope,
  }
  add('ipam/prefixes', block, { regions, site })
  for (const [vid, name, tenantSlug] of company.networks) {
    const tenant = find('tenancy/tenants', tenantSlug)
    const vlan = add(
      'ipam/vlans',
      { vid, name, site, status: choice('active'), tenant },
      { regions, display: `${name} (${vid})` },
    )
    const prefix = `10.${index + 10}.${vid}.0/24`
    const of = {
      prefix,
      family: family4,
      status: choice('active'),
      vlan,
      tenant,
      is_pool: false,
      description: name,
      ...scope,
    }
    add('ipam/prefixes', of, { regions, site })
  }
}

/**
 * @param {Tables} tables
 * @param {{ site: Row, regions: (Row | null)[], racks: Row[], kind: string, index: number }} at
 */
function addDevices({ add, find }, { site, regions, racks, kind, index }) {
  /** @type {{ device: Row, role: string, ports: Row[] }[]} */
  const made = []
  for (const [typeSlug, , , roleSlug, portNames] of company.deviceTypes) {
    for (let number = 1; number <= (company.equipment[kind]?.[roleSlug] ?? 0); number += 1) {
      const position = made.length
      const isBroken = (index * 7 + position) % 53 === 5
      const address = `10.${index + 10}.99.${position + 10}/24`
      const device = add(
        'dcim/devices',
        {
          name: `${site.slug}-${roleSlug}-${number}`,
          device_type: find('dcim/device-types', typeSlug),
          role: find('dcim/device-roles', roleSlug),
          status: choice(isBroken ? 'failed' : site.slug === 'hal01' ? 'planned' : 'active'),
          site,
          rack: racks[position % racks.length] ?? null,
          position: 40 - (position % 38),
          serial: `${typeSlug.slice(0, 2).toUpperCase()}${String(index * 100 + position).padStart(6, '0')}`,
          tenant: find('tenancy/tenants', roleSlug === 'crane-controller' ? 'crane-systems' : 'corporate-it'),
          primary_ip4: null,
        },
        { regions, manufacturer: deviceMaker(find('dcim/device-types', typeSlug)) },
      )
      const ports = portNames.map((name) =>
        add(
          'dcim/interfaces',
          { device, name, enabled: !isBroken, type: { value: '1000base-t', label: '1000BASE-T' } },
          { regions, site },
        ),
      )
      const assigned = { assigned_object_type: 'dcim.interface', assigned_object: ports.at(-1) ?? null }
      const ip = {
        address,
        family: family4,
        status: choice('active'),
        dns_name: `${device.name}.harbour.example`,
        ...assigned,
      }
      device.primary_ip4 = add('ipam/ip-addresses', ip, { regions, device })
      made.push({ device, role: roleSlug, ports })
    }
  }
  return made
}

/** @param {Row | null} deviceType */
const deviceMaker = (deviceType) => /** @type {Row | null} */ (deviceType?.manufacturer ?? null)

/**
 * @param {Tables} tables
 * @param {{ site: Row, regions: (Row | null)[], index: number, isHub: boolean }} at
 */
function addCircuits({ add, find }, { site, regions, index, isHub }) {
  for (let line = 0; line < (isHub ? 2 : 1); line += 1) {
    const [slug, name] = company.providers[(index + line) % company.providers.length] ?? ['', '']
    const cid = `${slug.slice(0, 2).toUpperCase()}-${2000 + index * 10 + line}`
    const type = find('circuits/circuit-types', 'internet-transit')
    const status = choice(site.slug === 'hal01' ? 'planned' : 'active')
    const of = {
      cid,
      provider: find('circuits/providers', slug),
      type,
      status,
      commit_rate: isHub ? 10_000_000 : 1_000_000,
    }
    add('circuits/circuits', { ...of, description: `${name} to ${site.name}` }, { regions, site })
  }
}

/**
 * Access switches are connected to the core switch, or to the router if there is no core switch.
 * @param {Tables} tables
 * @param {readonly { device: Row, role: string, ports: Row[] }[]} devices
 */
function addCables({ add }, devices) {
  const above = devices.find(({ role }) => role === 'core-switch') ?? devices.find(({ role }) => role === 'router')
  for (const [number, { ports }] of devices.filter(({ role }) => role === 'access-switch').entries()) {
    const ends = [ports[2], above?.ports[number % 4]].map((object) => [{ object_type: 'dcim.interface', object }])
    add('dcim/cables', {
      type: 'cat6a',
      status: choice('connected'),
      label: '',
      a_terminations: ends[0],
      b_terminations: ends[1],
    })
  }
}

/** @param {Tables} tables */
function addVirtualMachines({ add, find }) {
  for (const slug of ['rtm01', 'ewr01', 'sin01']) {
    const site = find('dcim/sites', slug)
    const type = find('virtualization/cluster-types', 'virtual-machines')
    const cluster = add(
      'virtualization/clusters',
      { name: `${slug}-vms`, type, status: choice('active'), scope: site },
      { site },
    )
    for (const [number, name] of ['berth-planner', 'customs-gateway', 'dns', 'metrics', 'yard-api'].entries()) {
      const sizes = { vcpus: 2 + (number % 3) * 2, memory: 4096 * (1 + (number % 4)) }
      add('virtualization/virtual-machines', {
        name: `${slug}-${name}`,
        status: choice('active'),
        site,
        cluster,
        ...sizes,
      })
    }
  }
}

/** @param {Tables} tables */
function addChanges({ add, all }) {
  const devices = all('dcim/devices')
  for (let number = 0; number < 60; number += 1) {
    const device = devices[(number * 17) % devices.length]
    const action = number % 9 === 0 ? 'create' : number % 14 === 13 ? 'delete' : 'update'
    const time = new Date(Date.UTC(2026, 4, 30, 16) - (60 - number) * 7 * 3_600_000).toISOString()
    const user_name = company.people[number % company.people.length]
    const changed = { changed_object_type: 'dcim.device', changed_object_id: device?.id, changed_object: device }
    const message = company.reasons[number % company.reasons.length]
    const data = { prechange_data: { status: 'planned' }, postchange_data: { status: 'active' } }
    const entry = {
      time,
      user_name,
      request_id: `change-${number + 1}`,
      action: choice(action),
      ...changed,
      message,
      ...data,
    }
    add('core/object-changes', entry, { display: `${words(action)}d ${device?.name}` })
  }
}

const family4 = { value: 4, label: 'IPv4' }

/** @param {string} value */
const choice = (value) => ({ value, label: words(value) })

/** @param {string} slug */
const words = (slug) => (slug.charAt(0).toUpperCase() + slug.slice(1)).replaceAll('-', ' ')
