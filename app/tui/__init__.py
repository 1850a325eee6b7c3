"""The terminal app (Textual): chat, audit, explore, sessions, jobs. Owns no logic and no SQL.

``EvenhandApp`` takes a ``Backstage``, which builds the service late and in a thread: the first frame needs nothing but
Textual. Screens derive from ``base.BaseScreen`` and find what they need on the app, which they have as ``self.desk``:

- ``self.desk.service``, ``self.desk.catalog``, ``self.desk.conversations``: the use cases, once ``self.desk.ready``;
- ``self.desk.corpus``: the name of the corpus in use; ``self.desk.ascii``: draw with ASCII only;
- ``self.desk.backstage.call(function, ...)``: a blocking function in a thread; ``backstage.stream(make)``: an async
  generator on the backstage loop, in batches. Nothing that takes longer than a frame runs on the loop of the app.

Text from a corpus is drawn with ``markup=False`` or in a ``rich.text.Text``, through ``app.views.safe``; what escapes
this is caught by a filter on every line that is drawn (``filters.SafeFilter``).
"""
