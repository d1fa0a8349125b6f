/** Every limit of what is sent, kept and listed, with its unit in its name; docs/decisions.md has the reasons. */
export const LIMITS = {
  idCharacters: 104,
  nameCharacters: 100,
  descriptionCharacters: 2000,
  image: 2 ** 31 - 1,
  quantity: 1_000_000,
  unitAmount: 1_000_000_000,
  unitAmountDecimals: 4,
  firstOccurredDate: '1970-01-01',
  gradeCompanyCharacters: 20,
  gradeCharacters: 20,
  certificateCharacters: 50,
  notesCharacters: 500,
  /** Of a transaction. */
  tags: 10,
  tagCharacters: 30,
  bulkTransactions: 1000,
  importTransactions: 10_000,
  /** Of a holding or a collection that is moved as a whole. */
  movedTransactions: 10_000,
  /** Errors and duplicates that the report of an import lists; it counts all. */
  importReportItems: 1000,
  /** Cards that are not known for which an import looks for others like it. */
  importSuggestedCards: 100,
  importSuggestions: 3,
  /** What is said to be wrong with a row of an import; it has a few columns at fault at most. */
  importRowProblems: 12,
  /** Of an import that mends rows. */
  importChoices: 5000,
  /** A file that is uploaded, or read by the command line. */
  importFileBytes: 16 * 1024 * 1024,
  importPreviewHours: 24,
  /** Kept for an account; the oldest ones go. */
  importPreviews: 10,
  importPreviewsBytes: 64 * 1024 * 1024,
  /** Of a part of the rows that are left, but for its last row. */
  importRestBytes: 1024 * 1024,
  exportPageSize: 1000,
  /** Of a file of transactions in the archive of an account; each is one that an import takes. */
  archiveTransactions: 10_000,
  /** So long a file in such an archive is written, but for its last row, and read. */
  archivePartBytes: 4 * 1024 * 1024,
  archiveFileBytes: 16 * 1024 * 1024,
  archiveJsonBytes: 1024 * 1024,
  /** A shorter part is the last of its kind. */
  archiveLeastPartBytes: 64 * 1024,
  /** How many times its size an archive may have unpacked. */
  archiveRatio: 50,
  /** Archives that a caller, all accounts below a platform, and a process, send or take at a time. */
  archivesPerCaller: 2,
  archivesPerPlatform: 10,
  archivesPerNode: 20,
  /** In which an archive is to be taken, and so much more for each 32 bytes of it: who is slower keeps a place from others. */
  archiveTakenMillis: 60_000,
  /** Whole accounts that a process reads and writes at a time: of a caller, and of all below a platform, one. */
  transfersAtOnce: 2,
  /** Large files and batches of transactions that come in a body and that a process takes at a time: one of a caller, and of all below a platform. */
  importsAtOnce: 2,
  /** So long another waits until it is his turn. */
  placeWaitMillis: 60_000,
  /** Operations, and events, of so many points by their shape that a process executes at a time for a caller, and for a platform and all accounts below it; mutations beside the others. */
  largeOperationPoints: 500,
  largeOperationsPerCaller: 4,
  largeOperationsPerPlatform: 8,
  idempotencyKeyCharacters: 255,
  idempotencyKeyHours: 24,
  /** Of an account; the oldest ones go. Shorter ones than a KiB do not count. */
  idempotencyAnswersBytes: 64 * 1024 * 1024,
  pageSize: 200,
  defaultPageSize: 50,
  searchQueryCharacters: 200,
  searchResults: 1000,
  /** Of one filter of products beside a query. */
  filterValues: 50,
  filterValueCharacters: 100,
  /** Finishes and editions of a product, most of which have 4; what has more is not imported. */
  productVariants: 5,
  /** Of the pull rates of a set, of which none has more than 13. */
  pullRateCategories: 20,
  /** Reasons for one result; each part of a query can have some. */
  searchMatches: 20,
  suggestions: 20,
  defaultSuggestions: 10,
  saleVolumeDays: 30,
  /** The id that an app knows a user by; of OpenID's `sub` as much. */
  externalIdCharacters: 255,
  /** Of an identity provider: its issuer, and its audience. */
  issuerCharacters: 255,
  /** Of a value of a token's scope. */
  scopeCharacters: 100,
  /** For which a token for a device is good. */
  accountTokenMinSeconds: 60,
  accountTokenMaxSeconds: 3600,
  /** Of one account, in a process. */
  accountTokensPerMinute: 60,
  collections: 200,
  valuedCollections: 20,
  transactions: 2_000_000,
  /** What the operator can set these to. */
  maxCollections: 1_000_000,
  maxTransactions: 1_000_000_000,
  maxAccounts: 100_000_000,
  /** Of an account. */
  webhooks: 10,
  webhookUrlCharacters: 2000,
  /** Deliveries that wait: with more of them it is switched off. */
  webhookBacklog: 100_000,
  /** Deliveries are kept for so long after their end. */
  webhookDeliveredHours: 24,
  webhookFailedHours: 7 * 24,
  historyPoints: 400,
  /** Of a list that is sent; a set has as many as it has. */
  goalItems: 1000,
  priceAlerts: 100,
  alertDays: 365,
  alertMinPercent: 0.01,
  alertMaxPercent: 10_000,
  alertPercentDecimals: 2,
  bodyBytes: 1024 * 1024,
  /** Lists and objects of a JSON body in one another. */
  bodyDepth: 64,
  /** Values of a JSON body: 1,000 transactions have some 9,000. */
  bodyValues: 20_000,
  /** What is said to be wrong with an input at once. */
  breaches: 1000,
  /** The JSON of `data` and `errors` that an operation gives. */
  answerBytes: 8 * 1024 * 1024,
  eventHours: 24,
  eventsReadAhead: 20,
  /** No further event is read behind those with so many ids: one alone has up to 2,000. */
  eventIdsReadAhead: 100,
  subscriptionsPerClient: 100,
  /** In a process. */
  subscriptionsPerAccount: 250,
  /** Of all accounts below one. */
  subscriptionsPerPlatform: 500,
  subscriptionsPerNode: 1000,
  /** All headers of a request together, as Node limits them. */
  headerBytes: 16 * 1024,
} as const;
