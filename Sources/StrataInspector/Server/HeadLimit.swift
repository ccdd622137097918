#if Inspector
  import NIOCore

  /// Ends connections whose request heads are too long or come too slowly.
  ///
  /// It counts bytes before they are parsed.
  final class HeadLimit: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let bounds: ConnectionBounds
    private var count = 0
    private var deadline: Scheduled<Void>?
    private var isRefused = false
    /// Whether a head has started.
    private var isInHead = false

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
      count += unwrapInboundIn(data).readableBytes
      guard count <= bounds.bytes else {
        isRefused = true
        deadline?.cancel()
        let answer = """
          HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n
          """
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer))).whenComplete { _ in
          channel.close(promise: nil)
        }
        return
      }
      if !isInHead {
        isInHead = true
        wait(bounds.time, context)
      }
      context.fireChannelRead(data)
    }

    /// Notes that a head is complete: its answer may take any time.
    func headEnded() {
      count = 0
      isInHead = false
      deadline?.cancel()
      deadline = nil
    }

    /// Waits for the next head.
    func awaitHead(_ context: ChannelHandlerContext) {
      if !isInHead { wait(bounds.idle, context) }
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
