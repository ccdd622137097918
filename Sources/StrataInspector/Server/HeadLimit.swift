#if Inspector
  import NIOCore

  /// Ends connections whose requests are too long or come too slowly.
  ///
  /// It counts bytes before they are parsed: those of a head up to its empty line, and those of a body.
  final class HeadLimit: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let bounds: ConnectionBounds
    private var count = 0
    private var deadline: Scheduled<Void>?
    private var isRefused = false
    /// Whether a request has started.
    private var isInRequest = false
    /// How many bytes of the empty line after a head have come; all four from there on.
    private var ending = 0

    init(_ bounds: ConnectionBounds) { self.bounds = bounds }

    func handlerAdded(context: ChannelHandlerContext) { wait(bounds.idle, context) }

    func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

    func channelInactive(context: ChannelHandlerContext) {
      deadline?.cancel()
      context.fireChannelInactive()
    }

    private func wait(_ time: Duration, _ context: ChannelHandlerContext) {
      deadline?.cancel()
      let channel = context.channel
      deadline = context.eventLoop.scheduleTask(in: TimeAmount(time)) {
        channel.close(promise: nil)
      }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      if isRefused { return }
      guard isWithinBounds(unwrapInboundIn(data).readableBytesView) else {
        isRefused = true
        deadline?.cancel()
        let page = Reply(
          page: Gate.Refusal(
            431,
            "The request is too long.",
            "Open the address that strata serve has printed."
          )
        )
        let answer = """
          HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-type: \(page.type)\r\n\
          content-length: \(page.body.readableBytes)\r\nconnection: close\r\n\r\n\(String(buffer: page.body))
          """
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer))).whenComplete { _ in
          channel.close(promise: nil)
        }
        return
      }
      if !isInRequest {
        isInRequest = true
        wait(bounds.time, context)
      }
      context.fireChannelRead(data)
    }

    private func isWithinBounds(_ bytes: ByteBufferView) -> Bool {
      for byte in bytes {
        count += 1
        if ending == 4 {
          if count > Gate.longestBody + bounds.bytes { return false }
          continue
        }
        if count > bounds.bytes { return false }
        let isExpected = byte == (ending.isMultiple(of: 2) ? 13 : 10)
        ending = isExpected ? ending + 1 : byte == 13 ? 1 : 0
      }
      return true
    }

    /// Notes that a request is complete: its answer may take any time.
    func requestEnded() {
      count = 0
      ending = 0
      isInRequest = false
      deadline?.cancel()
      deadline = nil
    }

    /// Waits for the next head.
    func awaitHead(_ context: ChannelHandlerContext) {
      if !isInRequest { wait(bounds.idle, context) }
    }
  }
#endif

/// What a connection to the page may take.
package struct ConnectionBounds: Sendable {
  /// The bytes of the head of a request.
  package var bytes = 8_192
  /// How long a head may take from its first byte.
  package var time = Duration.seconds(5)
  /// How long a connection may wait without a request.
  package var idle = Duration.seconds(60)

  package init() {}
}
