// A made-up shipping company: the short lists from which the inventory is built.

/** @typedef {readonly [slug: string, name: string, parent: string | null]} RegionRow */
/** @typedef {readonly [slug: string, name: string, region: string, kind: 'hub' | 'terminal' | 'office']} SiteRow */
/** @typedef {readonly [slug: string, name: string, maker: string, role: string, ports: readonly string[]]} DeviceTypeRow */

/** @type {readonly RegionRow[]} */
export const regions = [
  ['europe', 'Europe', null],
  ['north-sea', 'North Sea', 'europe'],
  ['baltic', 'Baltic', 'europe'],
  ['mediterranean', 'Mediterranean', 'europe'],
  ['americas', 'Americas', null],
  ['asia-pacific', 'Asia-Pacific', null],
]

/** @type {readonly SiteRow[]} */
export const sites = [
  ['rtm01', 'Rotterdam', 'north-sea', 'hub'],
  ['anr01', 'Antwerp', 'north-sea', 'terminal'],
  ['ham01', 'Hamburg', 'north-sea', 'terminal'],
  ['brv01', 'Bremerhaven', 'north-sea', 'terminal'],
  ['fxt01', 'Felixstowe', 'north-sea', 'terminal'],
  ['osl01', 'Oslo', 'north-sea', 'office'],
  ['got01', 'Gothenburg', 'baltic', 'terminal'],
  ['gdn01', 'Gdańsk', 'baltic', 'terminal'],
  ['hel01', 'Helsinki', 'baltic', 'office'],
  ['tll01', 'Tallinn', 'baltic', 'office'],
  ['gen01', 'Genoa', 'mediterranean', 'terminal'],
  ['vlc01', 'Valencia', 'mediterranean', 'terminal'],
  ['pir01', 'Piraeus', 'mediterranean', 'terminal'],
  ['mar01', 'Marseille', 'mediterranean', 'office'],
  ['ewr01', 'Newark', 'americas', 'hub'],
  ['sav01', 'Savannah', 'americas', 'terminal'],
  ['lgb01', 'Long Beach', 'americas', 'terminal'],
  ['hal01', 'Halifax', 'americas', 'terminal'],
  ['ssz01', 'Santos', 'americas', 'terminal'],
  ['sin01', 'Singapore', 'asia-pacific', 'hub'],
  ['hkg01', 'Hong Kong', 'asia-pacific', 'terminal'],
  ['pus01', 'Busan', 'asia-pacific', 'terminal'],
  ['yok01', 'Yokohama', 'asia-pacific', 'office'],
  ['mel01', 'Melbourne', 'asia-pacific', 'terminal'],
]

/** Sites with a status other than active. */
export const siteStatus = /** @type {Readonly<Record<string, string>>} */ ({
  hal01: 'planned',
  mel01: 'staging',
  tll01: 'decommissioning',
})

export const tenants = /** @type {const} */ ([
  ['corporate-it', 'Corporate IT'],
  ['terminal-operations', 'Terminal Operations'],
  ['crane-systems', 'Crane Systems'],
  ['customs', 'Customs Desk'],
  ['guests', 'Guests'],
])

/** @type {readonly DeviceTypeRow[]} */
export const deviceTypes = [
  ['edge-4200', 'Edge 4200', 'Halyard', 'router', ['wan0', 'wan1', 'lan0', 'lan1']],
  ['gate-900', 'Gate 900', 'Bulwark', 'firewall', ['inside', 'outside', 'mgmt']],
  [
    'core-48x',
    'Core 48X',
    'Halyard',
    'core-switch',
    ['Ethernet1', 'Ethernet2', 'Ethernet3', 'Ethernet4', 'Management1'],
  ],
  ['access-24p', 'Access 24P', 'Halyard', 'access-switch', ['Ethernet1', 'Ethernet2', 'Uplink1', 'Management1']],
  ['beacon-6', 'Beacon 6', 'Semaphore', 'access-point', ['eth0', 'wlan0', 'wlan1']],
  ['hold-r2', 'Hold R2', 'Keelworks', 'server', ['eno1', 'eno2', 'idrac']],
  ['gantry-io', 'Gantry IO', 'Semaphore', 'crane-controller', ['x1', 'x2']],
]

/** The devices of each kind of site, by role. */
export const equipment = /** @type {Readonly<Record<string, Readonly<Record<string, number>>>>} */ ({
  hub: {
    router: 2,
    firewall: 2,
    'core-switch': 2,
    'access-switch': 4,
    'access-point': 4,
    server: 6,
    'crane-controller': 0,
  },
  terminal: {
    router: 1,
    firewall: 1,
    'core-switch': 1,
    'access-switch': 2,
    'access-point': 2,
    server: 1,
    'crane-controller': 2,
  },
  office: {
    router: 1,
    firewall: 1,
    'core-switch': 0,
    'access-switch': 1,
    'access-point': 2,
    server: 0,
    'crane-controller': 0,
  },
})

/** Every site has one network of each. */
export const networks = /** @type {const} */ ([
  [10, 'Offices', 'corporate-it'],
  [20, 'Cargo handling', 'terminal-operations'],
  [30, 'Cranes', 'crane-systems'],
  [40, 'Guests', 'guests'],
  [99, 'Management', 'corporate-it'],
])

export const providers = /** @type {const} */ ([
  ['longwave', 'Longwave Telecom'],
  ['straitnet', 'Straitnet'],
  ['capstan', 'Capstan Fibre'],
])

/** The users and messages of the changelog. */
export const people = ['a.lindqvist', 'j.okafor', 'm.tanaka', 'automation']
export const reasons = [
  '',
  'Replaced after a fault',
  'Renamed as the naming rule says',
  'From the commissioning list',
  '',
]
