/** The schema as decided (docs/decisions.md#graphql, with the contract's fields), written by hand: what clients may rely on. */
const PAGE = 'first: Int, after: String, last: Int, before: String';

const TOTALS = `quantity: SafeInt! cashPosition: Money invested: Money profit: Money gain: Money marketValue: Money!
  percentageGain: Float unpriced: SafeInt! warning: String`;

const CONNECTIONS = [
  'Collection',
  'Transaction',
  'TransactionSummary',
  'Product',
  'ProductEv',
  'PriceAlert',
  'MissingCard',
  'Set',
  'ImportRow',
  'SubAccount',
  'Webhook',
  'WebhookDelivery',
]
  .map(
    (item) => `
      type ${item}Connection { edges: [${item}Edge!]! nodes: [${item}!]! pageInfo: PageInfo! totalCount: Int! }
      type ${item}Edge { cursor: String! node: ${item}! }`,
  )
  .join('');

/** What can be said of the cards of a transaction. */
const DETAILS =
  'costUnknown: Boolean cardCondition: CardCondition grade: GradeInput language: Language notes: String tags: [String!]';

/** Each mutation: the fields of its input and of its payload, and the failures besides the two that all have. */
export const MUTATIONS: Record<string, { input: string; payload: string; failures: string[] }> = {
  createCollection: {
    input: 'name: String! collectionKind: CollectionKind valued: Boolean',
    payload: 'collection: Collection!',
    failures: ['LimitExceeded'],
  },
  updateCollection: {
    input: 'id: ID! name: String description: String valued: Boolean pinned: Boolean image: Int',
    payload: 'collection: Collection!',
    failures: ['NotFound', 'LimitExceeded'],
  },
  deleteCollection: {
    input: 'id: ID!',
    payload: 'deletedId: ID!',
    failures: ['NotFound', 'CollectionInUse'],
  },
  createTransaction: {
    input: `collectionId: ID! variantId: ID! occurredDate: Date! action: Action! quantity: Int! unitAmount: MoneyInput! ${DETAILS}`,
    payload: 'transaction: Transaction! transactionSummary: TransactionSummary',
    failures: ['NotFound', 'LimitExceeded'],
  },
  createTransactions: {
    input: 'collectionId: ID! transactions: [TransactionEntryInput!]!',
    payload: 'transactions: [Transaction!]! transactionSummaries: [TransactionSummary!]!',
    failures: ['NotFound', 'LimitExceeded'],
  },
  updateTransaction: {
    input: `id: ID! occurredDate: Date action: Action quantity: Int unitAmount: MoneyInput ${DETAILS}
      clear: [ClearedDetail!]`,
    payload: 'transaction: Transaction! transactionSummary: TransactionSummary',
    failures: ['NotFound'],
  },
  deleteTransaction: {
    input: 'id: ID!',
    payload: 'deletedId: ID! transactionSummary: TransactionSummary',
    failures: ['NotFound'],
  },
  moveTransactions: {
    input: 'fromCollectionId: ID! toCollectionId: ID! transactionIds: [ID!] variantId: ID',
    payload: 'movedCount: Int! fromCollection: Collection! toCollection: Collection!',
    failures: ['NotFound', 'LimitExceeded'],
  },
  mergeCollections: {
    input: 'fromCollectionId: ID! intoCollectionId: ID!',
    payload: 'movedCount: Int! deletedId: ID! collection: Collection!',
    failures: ['NotFound', 'LimitExceeded', 'CollectionInUse'],
  },
  importTransactions: {
    input: `collectionId: ID! csv: String! format: TransactionFormat columns: ImportColumnsInput dateOrder: DateOrder
      decimalSign: DecimalSign dryRun: Boolean occurredDate: Date unitAmount: MoneyInput currency: Currency cost: ImportCost`,
    payload: `written: Boolean! format: TransactionFormat! rowCount: Int! transactionCount: Int!
      skipped: [ImportSkipped!]! errorCount: Int! errors: [ImportRowError!]! duplicateCount: Int!
      duplicates: [ImportDuplicate!]! oversoldCount: Int! oversold: [ImportOversold!]! collection: Collection!`,
    failures: ['NotFound', 'LimitExceeded'],
  },
  previewImport: {
    input: `collectionId: ID! csv: String! format: TransactionFormat columns: ImportColumnsInput dateOrder: DateOrder
      decimalSign: DecimalSign occurredDate: Date unitAmount: MoneyInput currency: Currency`,
    payload: 'preview: ImportPreview!',
    failures: ['NotFound'],
  },
  importPreviewed: {
    input: `id: ID! choices: [ImportChoiceInput!] skipErrors: Boolean cost: ImportCost unitAmount: MoneyInput
      occurredDate: Date dryRun: Boolean`,
    payload: `written: Boolean! format: TransactionFormat! rowCount: Int! transactionCount: Int!
      skipped: [ImportSkipped!]! errorCount: Int! errors: [ImportRowError!]! duplicateCount: Int!
      duplicates: [ImportDuplicate!]! oversoldCount: Int! oversold: [ImportOversold!]! collection: Collection!
      preview: ImportPreview`,
    failures: ['NotFound', 'LimitExceeded'],
  },
  createAccount: {
    input: 'name: String! externalId: String!',
    payload: 'account: SubAccount!',
    failures: ['LimitExceeded'],
  },
  updateAccount: {
    input: 'id: ID! name: String maxCollections: Int maxValuedCollections: Int maxTransactions: Int',
    payload: 'account: SubAccount!',
    failures: ['NotFound'],
  },
  suspendAccount: { input: 'id: ID!', payload: 'account: SubAccount!', failures: ['NotFound'] },
  resumeAccount: { input: 'id: ID!', payload: 'account: SubAccount!', failures: ['NotFound'] },
  createAccountToken: {
    input: 'id: ID! scope: AccountTokenScope! expiresIn: Int!',
    payload: 'accessToken: String! scope: AccountTokenScope! expiresIn: Int!',
    failures: ['NotFound'],
  },
  deleteAccount: { input: 'id: ID!', payload: 'deletedId: ID!', failures: ['NotFound'] },
  setIdentityProvider: {
    input:
      'issuer: String! audience: String! createsAccounts: Boolean! defaultScope: String readScope: String',
    payload: 'identityProvider: IdentityProvider!',
    failures: [],
  },
  deleteIdentityProvider: {
    input: '',
    payload: 'identityProvider: IdentityProvider!',
    failures: ['NotFound'],
  },
  createWebhook: {
    input: 'url: String! events: [WebhookEvent!] allAccounts: Boolean',
    payload: 'webhook: Webhook! secret: String!',
    failures: ['LimitExceeded'],
  },
  updateWebhook: {
    input: 'id: ID! url: String events: [WebhookEvent!] status: WebhookStatus',
    payload: 'webhook: Webhook!',
    failures: ['NotFound'],
  },
  rotateWebhookSecret: {
    input: 'id: ID!',
    payload: 'webhook: Webhook! secret: String!',
    failures: ['NotFound'],
  },
  deleteWebhook: { input: 'id: ID!', payload: 'deletedId: ID!', failures: ['NotFound'] },
  testWebhook: { input: 'id: ID!', payload: 'delivery: WebhookDelivery!', failures: ['NotFound'] },
  resendWebhookDelivery: {
    input: 'id: ID! webhookId: ID!',
    payload: 'delivery: WebhookDelivery!',
    failures: ['NotFound'],
  },
  updatePreferences: {
    input: 'preferredCurrency: Currency preferredPriceSource: PriceSource costBasis: CostBasis',
    payload: 'account: Account!',
    failures: [],
  },
  setGoalCollection: {
    input: 'collectionId: ID target: GoalTargetInput match: GoalMatch',
    payload: 'collection: Collection',
    failures: ['NotFound'],
  },
  createPriceAlert: {
    input: `targetId: ID! when: PriceAlertWhenInput condition: PriceAlertCondition amount: MoneyInput percent: Float
      days: Int direction: ChangeDirection`,
    payload: 'priceAlert: PriceAlert!',
    failures: ['NotFound', 'LimitExceeded'],
  },
  deletePriceAlert: { input: 'id: ID!', payload: 'deletedId: ID!', failures: ['NotFound'] },
};

const capital = (name: string) => name[0]!.toUpperCase() + name.slice(1);

const MUTATION_TYPES = Object.entries(MUTATIONS)
  .map(([mutation, { input, payload, failures }]) => {
    const name = capital(mutation);
    const members = [`${name}Payload`, ...failures, 'ValidationFailed', 'IdempotencyMismatch'];
    return `
      extend type Mutation { ${mutation}(input: ${name}Input!): ${name}Result! }
      input ${name}Input { ${input} idempotencyKey: String }
      type ${name}Payload { ${payload} }
      union ${name}Result = ${members.join(' | ')}`;
  })
  .join('');

export const DECIDED_SCHEMA = `
  scalar SafeInt
  scalar Date
  scalar DateTime
  interface Node { id: ID! }
  interface Error { message: String! }
  type PageInfo { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }
  type Money { currency: Currency! value: Float! decimal: String! }
  input MoneyInput { currency: Currency! value: Float decimal: String }

  enum Action { PURCHASE SALE }
  enum CollectionKind { COLLECTION WISHLIST }
  enum CardCondition { NEAR_MINT LIGHTLY_PLAYED MODERATELY_PLAYED HEAVILY_PLAYED DAMAGED }
  enum Language { EN DE FR ES IT JA }
  enum ClearedDetail { CARD_CONDITION GRADE LANGUAGE }
  type Grade { company: String! grade: String! certificate: String }
  input GradeInput { company: String! grade: String! certificate: String }
  enum PriceSource { VENDOR_MARKET }
  enum CostBasis { AVERAGE MOVING_AVERAGE FIFO }
  enum ProductType { PACK BOX CASE }
  enum PictureSize { SMALL MEDIUM LARGE }
  enum PriceAlertCondition { ABOVE BELOW CHANGE }
  enum ChangeDirection { UP DOWN EITHER }
  enum CollectionSort { CHRONOLOGICAL ALPHABETICAL VALUE PERCENTAGE_GAIN }
  enum TransactionSort { CHRONOLOGICAL ALPHABETICAL }
  enum TransactionSummarySort {
    ALPHABETICAL MARKET_VALUE UNIT_VALUE GAIN QUANTITY CARD_NUMBER PERCENTAGE_GAIN CHRONOLOGICAL
  }
  enum ProductEvSort {
    HIGHEST_ESTIMATED_VALUE LOWEST_ESTIMATED_VALUE HIGHEST_MARKET_PRICE LOWEST_MARKET_PRICE
    MARKET_PRICE_DELTA_POSITIVE MARKET_PRICE_DELTA_NEGATIVE NEWEST_RELEASE_DATE OLDEST_RELEASE_DATE
  }
  enum ProductSort { RELEVANCE NUMBER NAME PRICE RELEASE VOLUME }
  enum SetKind { BOOSTER DECK PROMO OTHER }
  enum Currency {
    AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD HUF IDR ILS INR ISK JPY KRW MXN MYR NOK NZD PHP PLN RON SEK SGD THB
    TRY USD ZAR
  }

  enum AccountTokenScope { DEFAULT READ }
  enum AccountStatus { ACTIVE SUSPENDED }
  enum WebhookEvent { COLLECTION_CHANGED PRICE_ALERT_TRIGGERED ACCOUNT_DELETED MARKET_IMPORTED }
  enum WebhookStatus { ACTIVE DISABLED }
  enum WebhookDeliveryStatus { PENDING DELIVERED FAILED }

  type Query {
    account(id: ID!): SubAccount
    accounts(${PAGE}, externalId: String): SubAccountConnection!
    identityProvider: IdentityProvider
    webhook(id: ID!): Webhook
    webhooks(${PAGE}): WebhookConnection!
    webhookDeliveries(${PAGE}, webhookId: ID!): WebhookDeliveryConnection!
    node(id: ID!): Node
    nodes(ids: [ID!]!): [Node]!
    viewer: Account!
    collections(
      ${PAGE}, kind: CollectionKind, sort: CollectionSort = CHRONOLOGICAL, reverse: Boolean = false
    ): CollectionConnection!
    collection(id: ID!): Collection
    transaction(id: ID!): Transaction
    product(id: ID!): Product
    variant(id: ID!): Variant
    products(
      query: String, filter: ProductFilter, sort: ProductSort = RELEVANCE, reverse: Boolean = false, ${PAGE}
    ): ProductConnection
    set(code: String!): Set
    sets(${PAGE}): SetConnection!
    productEvs(${PAGE}, sort: ProductEvSort = OLDEST_RELEASE_DATE, productType: ProductType): ProductEvConnection!
    evBreakdown(setType: String!, productType: ProductType!): EvBreakdown
  }

  type Collection implements Node {
    id: ID! collectionId: ID! name: String! valued: Boolean! pinned: Boolean! isGoalCollection: Boolean!
    description: String! image: Int! createdAt: DateTime! ${TOTALS}
    transactions(
      ${PAGE}, sort: TransactionSort = CHRONOLOGICAL, reverse: Boolean = false, filter: TransactionFilter, searchQuery: String
    ): TransactionConnection!
    transactionSummaries(
      ${PAGE}, sort: TransactionSummarySort = ALPHABETICAL, reverse: Boolean = false, searchQuery: String,
      filter: TransactionFilter
    ): TransactionSummaryConnection!
  }
  extend type Collection { transactionsCsv(after: String, format: ExportFormat = CARDLEDGER): TransactionsCsv! }
  type TransactionsCsv { csv: String! salesLeftOut: Int! endCursor: String }
  enum ExportFormat { CARDLEDGER JSON FABRARY COLLECTR TCGPLAYER DRAGON_SHIELD MANABOX ARCHIDEKT LIST }
  enum TransactionFormat { CARDLEDGER FABRARY COLLECTR TCGPLAYER DRAGON_SHIELD MANABOX ARCHIDEKT LIST COLUMNS }
  enum DateOrder { MONTH_DAY_YEAR DAY_MONTH_YEAR }
  enum DecimalSign { POINT COMMA }
  input ImportColumnsInput {
    quantity: String! occurredDate: String action: String unitAmount: String currency: String variantId: String
    fcId: String vendorProductId: String number: String productName: String setName: String variantName: String
  }
  type ImportSkipped { reason: String! count: Int! }
  type ImportRowError { line: Int! column: String detail: String! suggestions: [VariantSuggestion!]! }
  type VariantSuggestion {
    variantId: ID! variantName: String! productName: String! number: String fcId: String!
  }
  type ImportDuplicate { line: Int! sameAsLine: Int sameAsTransactionId: ID }
  type ImportOversold { line: Int! quantity: SafeInt! }
  extend type Query { importPreview(id: ID!): ImportPreview }
  input ImportChoiceInput { line: Int! variantId: ID skip: Boolean }
  enum ImportCost { AS_FILED FLAT MARKET_PRICE UNKNOWN }
  enum ImportRowState { MATCHED UNCLEAR WRONG SKIPPED }
  type ImportPreview implements Node {
    id: ID! createdAt: DateTime! collection: Collection! format: TransactionFormat! rowCount: Int!
    skipped: [ImportSkipped!]! counts: ImportRowCounts! rows(${PAGE}, state: ImportRowState): ImportRowConnection!
    restCsv(after: String): ImportRestCsv!
  }
  type ImportRowCounts { matched: Int! unclear: Int! wrong: Int! skipped: Int! }
  type ImportRow {
    line: Int! state: ImportRowState! name: String number: String variant: Variant candidates: [Variant!]!
    problems: [ImportRowProblem!]! lacks: [String!]! occurredDate: Date action: Action quantity: SafeInt unitAmount: Money
  }
  type ImportRowProblem { column: String detail: String! }
  type ImportRestCsv { csv: String! endCursor: String }
  type Transaction implements Node {
    id: ID! transactionId: ID! occurred: DateTime! action: Action! quantity: SafeInt! unitAmount: Money! variant: Variant!
    collection: Collection!
  }
  type TransactionSummary implements Node { id: ID! variant: Variant! ${TOTALS} }
  extend type TransactionSummary { quantities: [QuantityPart!] }
  type QuantityPart { cardCondition: CardCondition language: Language quantity: SafeInt! }
  type Product implements Node {
    id: ID! productId: ID! vendorProductId: Int name: String! number: String imageUrl(size: PictureSize): String! description: String!
    cardType: String cardSubType: String class: String rarity: String cost: String defenseValue: String
    pitchValue: String talent: String power: String intellect: String life: String variants: [Variant!]!
  }
  extend type Product { set: Set! owned(collectionId: ID): SafeInt! }
  extend type Variant { owned(collectionId: ID): SafeInt! }
  extend type Product {
    transactions(${PAGE}, reverse: Boolean = false): TransactionConnection!
    holdings(${PAGE}): TransactionSummaryConnection!
  }
  extend type Variant {
    transactions(${PAGE}, reverse: Boolean = false): TransactionConnection!
    holdings(${PAGE}): TransactionSummaryConnection!
  }
  extend type Account {
    transactions(
      ${PAGE}, reverse: Boolean = false, filter: TransactionFilter, searchQuery: String
    ): TransactionConnection!
  }
  input TransactionFilter {
    variantId: ID productId: ID action: Action from: Date to: Date cardCondition: [CardCondition!] language: [Language!]
    tags: [String!] graded: Boolean
  }
  input ProductFilter {
    class: [String!] set: [String!] rarity: [String!] finish: [String!] edition: [String!] treatment: [String!]
    sealed: Boolean
  }
  type Set implements Node {
    id: ID! code: String! name: String! releaseDate: Date kind: SetKind! editions: [String!]! cardCount: Int!
    sealedCount: Int! variantCount: Int! completion(collectionId: ID!, match: GoalMatch = PRODUCT): GoalProgress
  }
  type Variant implements Node {
    id: ID! variantId: ID! variantName: String! fcId: String! saleVolumes: [Int!]! product: Product!
    marketPrice(currency: Currency, priceSource: PriceSource): Money
  }
  type ProductEv implements Node {
    id: ID! setType: String! productType: ProductType! productId: ID! productImage(size: PictureSize): String! productName: String!
    fcId: String! product: Product! currentEstimatedValue: Money! marketPrice: Money marketPriceDelta: Money!
    warning: String breakdown: EvBreakdown!
  }
  type EvBreakdown {
    productId: ID! productName: String! fcId: String! imageUrl(size: PictureSize): String! product: Product!
    currentEstimatedValue: Money! warning: String categories: [EvCategory!]!
  }
  type EvCategory {
    category: String! categoryName: String! multiplier: Float! averageMarketPrice: Money! contributedValue: Money!
  }
  type Account implements Node {
    id: ID! name: String! preferredCurrency: Currency! preferredPriceSource: PriceSource! costBasis: CostBasis! dashboard: Dashboard!
    limits: AccountLimits! priceAlerts(${PAGE}): PriceAlertConnection!
  }
  type SubAccount {
    id: ID! externalId: String! name: String! status: AccountStatus! maxCollections: Int! maxValuedCollections: Int!
    maxTransactions: Int! createdAt: DateTime!
  }
  type IdentityProvider {
    issuer: String! audience: String! createsAccounts: Boolean! defaultScope: String! readScope: String!
  }
  type Webhook {
    id: ID! url: String! events: [WebhookEvent!]! allAccounts: Boolean! status: WebhookStatus! disabledReason: String
    failingSince: DateTime createdAt: DateTime!
  }
  type WebhookDelivery {
    id: ID! type: String! payload: String! status: WebhookDeliveryStatus! occurredAt: DateTime! attempts: Int!
    nextAttemptAt: DateTime lastAttemptAt: DateTime responseStatus: Int error: String
  }
  type Dashboard { collectionCount: Int! ${TOTALS} }
  type AccountLimits {
    maxCollections: Int! collectionCount: Int! maxValuedCollections: Int! valuedCollectionCount: Int!
    maxTransactions: Int! transactionCount: SafeInt! maxAccounts: Int! accountCount: Int!
  }
  type PriceAlert implements Node {
    id: ID! target: PriceAlertTarget! condition: PriceAlertCondition! amount: Money percent: Float days: Int
    direction: ChangeDirection createdAt: DateTime! isMet: Boolean! triggerCount: Int! lastTrigger: PriceAlertTrigger
  }
  union PriceAlertTarget = Variant | Collection
  input PriceAlertWhenInput @oneOf { above: MoneyInput below: MoneyInput change: PriceChangeInput }
  input PriceChangeInput { percent: Float! days: Int! direction: ChangeDirection = EITHER }
  type PriceAlertTrigger { triggeredAt: DateTime! day: Date! value: Money! change: Float }
  ${CONNECTIONS}

  enum MoverPeriod { DAY WEEK MONTH YEAR }
  enum MoverMeasure { PERCENTAGE AMOUNT }
  enum MoverDirection { GAIN LOSS }
  extend type Query {
    marketMovers(
      period: MoverPeriod!, by: MoverMeasure = PERCENTAGE, direction: MoverDirection = GAIN, first: Int
    ): Movers
  }
  extend type Collection {
    movers(
      period: MoverPeriod!, by: MoverMeasure = PERCENTAGE, direction: MoverDirection = GAIN, first: Int
    ): Movers
    allocation(by: AllocationKey!, first: Int): Allocation
    goal: Goal
  }
  extend type Dashboard {
    movers(
      period: MoverPeriod!, by: MoverMeasure = PERCENTAGE, direction: MoverDirection = GAIN, first: Int
    ): Movers
    allocation(by: AllocationKey!, first: Int): Allocation
  }
  type Movers { from: Date to: Date unknownCount: Int! movers: [Mover!]! }
  type Mover {
    variant: Variant! quantity: SafeInt! price: Money! priceBefore: Money! change: Money! changeRatio: Float
  }
  enum AllocationKey { SET RARITY CLASS FINISH }
  type Allocation { parts: [AllocationPart!]! }
  type AllocationPart {
    key: String name: String! isRest: Boolean! quantity: SafeInt! unpricedQuantity: SafeInt! marketValue: Money!
    share: Float shareDecimal: String
  }
  enum GoalMatch { VARIANT PRODUCT CARD }
  input GoalItemInput { variantId: ID! quantity: Int! }
  input GoalTargetInput @oneOf { collectionId: ID items: [GoalItemInput!] setCode: String }
  type Goal {
    match: GoalMatch! targetCollection: Collection progress: GoalProgress missingCards(${PAGE}): MissingCardConnection!
  }
  type GoalProgress {
    wanted: SafeInt! owned: SafeInt! missing: SafeInt! costToComplete: Money! unpricedMissing: SafeInt!
  }
  type MissingCard {
    variant: Variant! wanted: SafeInt! owned: SafeInt! missing: SafeInt! unitPrice: Money cost: Money
  }

  type Mutation
  ${MUTATION_TYPES}
  input TransactionEntryInput {
    variantId: ID! occurredDate: Date! action: Action! quantity: Int! unitAmount: MoneyInput!
    ${DETAILS}
  }
  type ValidationFailed implements Error { message: String! errors: [Breach!]! }
  type Breach { path: [String!]! detail: String! }
  type NotFound implements Error { message: String! }
  type CollectionInUse implements Error { message: String! }
  type LimitExceeded implements Error { message: String! limit: Int! current: Int! }
  type IdempotencyMismatch implements Error { message: String! }
`;
