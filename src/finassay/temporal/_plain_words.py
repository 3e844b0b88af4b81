"""The words of a research task that say nothing of time or knowledge: what is no such word leaves a doubt.

A reader that looks for doubtful words never knows them all. This one knows the plain words of its trade (what is
listed, ranked, computed and filtered, and of what), and doubts a text with other.
"""

from __future__ import annotations

import re

# Words of structure: what is done, how it is filtered, ranked and shown. No single word here may deny or exempt.
_ZH_STRUCTURE = """
的 地 得 了 着 和 与 及 或 且 而 但 其 该 此 这 那 各 某 有 为 是 在 于 对 将 把 并 以 从 到 由 按 取 用 向 给 至
即 均 都 也 再 先 仍 则 被 相 本 中 内 里 上 下 间 个 家 只 条 类 项 名 位 支 倍 元 率 量 值 数 额 比 差 组 档 期
次 份 张 页 行 列 种 批 版 段 手 点 层 等 大 小 高 低 多 少 同 全 总 单 双 正 负 零 最 更 较 第 共 约 近 强 弱 快
慢 好 优 劣 热 冷 窄 长 短 远 一 两 二 三 四 五 六 七 八 九 十 百 千 万 亿 几 半 多只 我 我们 请 帮 帮我 帮忙 麻烦
看 看看 看下 看一下 看一看 看下来 拉 拉取 拉出来 拉一 查 查询 查看 查找 检索 找 找出 找到 寻找 列出 列示 给出 给我
返回 输出 展示 显示 汇总 统计 计算 测算 计 算出 求 画 绘制 画图 做 做一版 做一张 生成 构建 构造 构成 建立 编制 整理
梳理 筛 筛选 筛出 筛一版 选 选取 选出 选择 选股 挑选 挑出 抽取 提取 保留 只保留 仅保留 只看 只取 只统计 仅统计 纳入
入选 样本 样本池 股票池 候选 候选池 候选名单 名单 清单 明细 明细表 表格 图表 摘要 摘要表 结果 字段 列名 单位 格式
说明 备注 口径 定义 记为 视为 归为 划分 分为 分成 分组 分类 分层 分档 分别 区分 标记 标注 标出 识别 判断 检验 检查
评估 考察 分析 比较 对比 对照 跟踪 监测 观察 观测 复盘 排查 研究 讨论 关注 重点 重点关注 排序 排名 排列 排在 升序
降序 由高到低 由低到高 从高到低 从低到高 由近到远 从大到小 从小到大 由大到小 靠前 靠后 居前 最高 最低 最大 最小
最多 最少 最强 最弱 最快 最优 最差 最长 最短 最贵 最便宜 最好 最近一期 最新 最新一期 最近一次 前列 领先 落后 名列
第一 第二 第三 首 首末 末 高于 低于 大于 小于 等于 超过 超出 不超过 不低于 不高于 不少于 不多于 不大于 不小于
不等于 不足 不为 不在 不同 至少 至多 以上 以下 以内 之间 之内 介于 位于 处于 达到 高达 接近 满足 符合 符合条件 条件
要求 标准 门槛 阈值 区间 范围 上限 下限 约束 规则 方法 公式 参数 权重 等权 加权 合计 合并 总计 累计 剔除 扣除 排除
去除 过滤 包含 含 不含 包括 属于 所属 对应 相应 相关 其中 其余 其他 另外 同时 以及 进一步 然后 此外 并且 或者 进行
作为 采用 使用 利用 基于 根据 依据 参考 按照 结合 通过 关于 面向 针对 来自 围绕 涉及 需要 需 要 应 应当 必须 优先
默认 统一 所有 任一 某个 每个 每只 每家 每组 每行 逐个 各自 各个 各类 各组 各行业 之比 之差 之和 之积 除以 乘以 减
加 乘 变化 变动 增加 减少 提升 提高 改善 下降 上升 上行 下行 增长 降低 扩大 收窄 收敛 恶化 好转 修复 回升 回落 回调
反弹 突破 跌破 收复 站上 走强 走弱 转正 转负 连续 持续 稳定 稳健 明显 显著 异常 极端 较高 较低 较大 较小 较强 较弱
偏高 偏低 偏离 偏弱 偏强 偏小 合理 充分 有效 正常 可比 可控 优质 良好 活跃 并列 相同 一致 相等 缺失 空值 重复 去重
唯一 存在 出现 发生 没有 有没有 是否 哪些 哪个 哪只 哪家 什么 多少 如何 怎样 几只 几家 谁 何 保留两位小数 小数
百分比 百分点 百分数 取整 四舍五入 百分位 分位 分位数 分位组 中位数 均值 平均 平均值 平均数 加权平均 算术平均
标准差 方差 最大值 最小值 极值 总数 数量 个数 家数 只数 次数 天数 占比 比例 比率 比重 排位 名次 得分 评分 打分
综合得分 因子 指标 信号 水平 程度 幅度 分布 结构 趋势 序列 曲线 历史 样本数 样本量 情况 关系 特征 线索 方向 变量
基准 相对 绝对 绝对值 对数 标准化 中性化 线性 回归 相关性 相关系数 系数 斜率 截距 残差 显著性 统计量 置信 截面
横截面 型 度 性 化 质 池 式 法 表 图 面 端 偏 占 带 非 无 距 当前 日期 基础 核心 主 子 些 就 来 还 去 出 起 底 边
整 每一 占用 并以 进而 若干 有些 哪一 换 顺带 补全 补充 日度 月度 周度 月频 日频 月份 年份 年月 自然月 完整月份
起始日期 结束日期 起始月份 结束月份 起始月 结束月 开始时间 结束时间 开始日 结束日 成立日期 上市日期 样本日期 开始
起始 结束 起止 区段 区间段 不纳入 不优先 不重复 不存在 不足则 无法识别 未知 未评级 归一化 按已匹配 记录 状态 事件
事件数 匹配 覆盖 设定 限定 确定 认定 折算 换算 合成 估算 估计 近似 模拟 拟合 分散 集中 集中度 分化 离散度 景气
景气度 温度 滚动 窗口 扩张 收缩 扩散 持平 降幅 增幅 升幅 提升幅度 抬升 继续 稳步 渗透率 象限 维度 部分 全样本 底池
观察池 池内 意见 类别 类型 主题型 情绪 压力 压力池 效果 效率 弹性 因变量 自变量 暴露 贡献 来源 拆解 处理 锚 基数
自身 常见 容易 机会 硬 适当 直接 特别 突出 关键 常用 关键字段 完备 可识别 合适 力度 走势 形态 局部 边际 结构化
主输出 折线 折线图 柱状 柱状图 对比图 另存 复核 用于复核 工作表 基础资料卡 资料卡 名次表 相似度 余弦 矩阵 协方差
协方差矩阵 回归系数 移动平均 高点 低点 估值日 起始日 按日 按周 按月 按季 按季度 按年 日涨跌幅 日增长率 净值日 单日
某日 某月 下跌日 上涨日 日子 月数 月均 月均值 月内 周均 周内 季均 年均 年数 周数 季数 月份数 逐年 逐季 逐月
时间序列 时间窗口 时间最长 时间最短 对时间 这段时间 一段时间 管理时间 起止时间 并列时 计算时 同时段 的时候 合成后
分位数后 约束后 化后 分组后 去重后 触发后 事件后 合并后 转换后 处理后 排序后 调整后 归类后 下调后 上调后 涨停后
放量后 筛选后 后取 后从 后的归一化 为准 再算 不作为 不同于 不过 已触发 已退市 已发生 已违约 已成立 已上市 已实施
已满 曾出现 曾发生 曾被 能取到 能够取得 能拿到 能够覆盖 够 可并列 可算 前后差值 前后窗口 前后各 前成立 首尾 归类
未归类 未分类 未满 分类未知 缺失值 缺失月 多空 多空组合 多空收益 风控 初筛 初期 预警 触发预警 调低 调高 调整次数
调整日期 一次调整 业绩比较基准调整 最早 最晚 往前 回看 滚降 相关信息 信息表 编码信息 现任 择时 胜负 防守 能力 进攻
预测能力 预测力 预测效果 城镇调查失业率 调查失业率 告期 报告期 公募 公开募集 对公 不良 停牌 涨跌停 回测 调研 升降
展望 库存 已经 尚未过大 不过度 不过分 不高 不低 不大 不小 不多 不少 不全 不了 不止 动能 回顾 回暖 周会 月会 热点
热点复盘 调仓 调仓日 换仓 策略 选股息率 告诉我 维持不变 放在一起算 只算一只 冲高前后 后的归一 信号触发后 多赚
可用估值 一级市场 穿透 已不在 已过赎回保护期 曾满足 曾创 更早的一段 日收益 日收益率 日行情 完整交易周 前期最高点
前最近 最终持仓数量 最终按 最后按 最后把 最后分别 最后输出 最后一个交易日 最后净值日 最终输出 全部保留 全部满足
全部有效样本 全部样本 全部公司 完整年度 完整年报 完整季度 完整会计年度 完整自然年度 关键字段完整 完整序列
完整时间序列 最终权重 最终配置权重 财务数据 行情数据 日度数据 月度数据 估值数据 数据处理 突破后的 标准化后
分别标准化后 信号日 日超额收益 行业宽度 尚未摘牌 市场宽度 宽度最高 更新一版 不一致 研究月报 权重快照 财务快照
新订单 创新药 新进 时记为 均线后 中性化后 价格数据 高低价数据 量价数据 历史数据 完整名称 季度 年度 单季 合并报表
财务 基本面 审计 拒绝 无法表示意见 保留意见 否定意见 带解释性说明 标准无保留 非标准 披露质量 兑现 生产 仓位 税 费用
消耗 财务健康度 财务质量 盈利 盈利能力 盈利质量 业绩 业绩增长 人数 据此 据此计算 算年化 哪些天 未创新高
持有后剩余期限 后面比较时 排前面 个别持仓 个别底层 一律 一概 相邻 越大越 越小越 越高越 越低越 算术平均后 绩效
向前滚动 不可执行 还没充分反映 还没明显 两期单季报告 漂移 没有匹配 不需要 排第几 多日 收盘日 跌破日 收回日 突破日
创高日期 确认日 事件日 自然日 周胜率 月涨幅 月跌幅 月收益 周收益率 周跌幅 周涨幅 偏小盘 盘点 养老产品 入围 列入
负面展望 计入占比 不重复计入 才纳入 达标 不达标 不参与 不额外处理 不可比 前述 前述门槛 未扩张 未复权 未呈 未解释
未违约 未上市 年限 从业年限 什么时候 开始管理 后基本面 回调后 突破后 整理后 后复权 收回 回溯 外部 延续 传导 进入
可覆盖 可投资 可持续 可持续性 可转债 覆盖倍数 对应时点 同一时点 时点 情绪指标 周转天数 如并列 不变价 季调 滞胀
预期收益率 利率互换 定盘 信用风险 同级 之间的 自然周 用下 算下 算一下 算一算 高频 低频 单边 多头 空头 做多 做空
留存收益 净融资额 再投资 中性 牛市 熊市 震荡市 分红方案 股东大会 自然季度 自然年度 同比数据 环比数据 存量同比
"""

# What tasks are about, and what a market says of it every day.
_ZH_MARKET = """
股票 个股 公司 上市公司 企业 主体 证券 标的 股 股份 龙头 龙头股 组合 投资组合 指数 成分股 成份股 板块 行业 子行业
概念 主题 市场 全市场 交易所 沪深 沪市 深市 京 沪 深 沪深京 上证 深证 中证 国证 申万 中信 聚源 证监会 一级 二级
三级 主板 创业板 科创板 北交所 新三板 港股 美股 沪深两市 两市 全A 普通股 优先股 存托凭证 现金 现金及现金等价物
无风险收益率 风险警示 停牌 涨停 跌停 连板 首板 摘牌 退市 存续 仍存续 在市 上市 代码 简称 名称 全称 股票代码
证券代码 证券简称 股票简称 股票名称 公司名称 公司简称 银行 非银金融 房地产 食品饮料 白酒 医药生物 医药 电子 计算机
通信 传媒 汽车 家用电器 家电 轻工制造 纺织服饰 商贸零售 社会服务 美容护理 农林牧渔 公用事业 交通运输 环保 电力设备
国防军工 机械设备 建筑材料 建筑装饰 基础化工 石油石化 煤炭 钢铁 有色金属 综合 证券公司 保险 化学制药 生物制品
半导体 新能源 光伏 消费 周期 金融 非金融 科技 制造 基金 公募基金 公募 主动权益 权益 股票型 混合型 偏股 偏股型
偏股混合 灵活配置 灵活配置型 债券型 纯债型 纯债 指数型 指数增强 指数基金 货币 货币型 货币基金 开放式 封闭式 场内
场外 份额类别 主份额 主基金 主代码 基金经理 基金公司 管理人 产品 养老目标 重仓 重仓股 债券 债 国债 国开债 地方债
城投债 信用债 企业债 公司债 可转债 转债 可交换债 金融债 利率债 中债 存续债 永续债 永续 同业存单 票息 正股 发行人
债项 券 券种 价格 股价 收盘价 收盘 开盘价 最高价 最低价 前收盘价 均价 复权 后复权 前复权 均线 日均线 涨跌 涨跌幅
涨幅 跌幅 涨 跌 上涨 下跌 成交 成交额 成交量 成交金额 换手 换手率 振幅 量能 放量 缩量 日均 市值 总市值 流通市值
自由流通市值 大市值 小市值 大盘 小盘 大盘股 小盘股 估值 高估 低估 市盈率 市净率 市销率 股息率 高股息 溢价率
转股溢价率 折价 溢价 收益 收益率 超额收益 超额 年化 年化收益率 累计收益 日收益率 回报 表现 回撤 最大回撤 波动
波动率 年化波动率 夏普 夏普比率 胜率 跟踪误差 风险 贝塔 阿尔法 净值 单位净值 复权单位净值 累计净值 净值增长率 利差
期限利差 信用利差 利率 到期收益率 估值收益率 曲线 收益率曲线 国债收益率 期限 剩余期限 久期 修正久期 评级 主体评级
债项评级 评级机构 初始 下调 上调 强势 强势股 弱势 低位 高位 新高 新低 历史新高 区间涨幅 乖离率 动量 反转 拥挤度
流动性 风格 价值 成长 红利 规模因子 交易 交易日 交投 汇率 物价 通胀 制造业 工业 出口 进口 消费者 生产者 同比 环比
当月同比 累计同比 核心 失业率 社融 货币供应 增速 国内生产总值 宏观 申购 赎回 申购状态 赎回状态 可申购 可赎回 限大额
大额申购上限 申赎 分类 联接 平衡型 股债平衡 创新高 场内简称 业绩比较基准 投资方向 投资 管理 管理费 托管费 任职 现任
历任 在任 离任 经理 学历 自然人 个人投资者 机构 推荐 推荐估值 全价 净价 净价差 价差 价位 信用 违约 负面 插值
线性插值 曲线节点 平价债 付息 骑乘 持有 买入 卖出 回售 赎回保护期 强赎 触发 触发价 触发价格 转股价 下修 发行
发行规模 发行人层面 承销 招标 担保 增信 地方政府 财政部 银行间 市场端 二级估值 交易日期 期货 黄金 外汇 美元 人民币
风格因子 暴露系数 布林带 上轨 下轨 中轨 综指 恒生 纳指 食品 能源 饮料 连板数 连板高度 双底 新高日期 前收 开盘 资金
资金面 驱动 情景 情景假设 走阔 陡峭化 平坦化 倒挂 倒挂月份 分桶 黄金股 国企 央企 民企 真实收益率 真实全价 真实净价
实际发行规模 实际GDP 新券 新股 新债 宽基 宽松货币 前收盘 历史高位 豆粕 空头 多头 换券 换股 换股价 录得 休闲
休闲食品 补涨 预收账款 预付账款 北向资金 资金流 主力 净流入 净流出 杠杆 融资 融券 社会融资规模 社会融资规模存量
涨停价 跌停价 白马股 蓝筹 蓝筹股 中小盘 微盘 微盘股 次新股 破净 破净股 低价股 高价股 周期股 成长股 价值股 银行股
券商股 券商 地产 地产链 军工 医疗 医疗器械 中药 消费电子 芯片 软件 游戏 影视 旅游 酒店 航空 机场 港口 航运 物流
电力 水电 火电 核电 风电 储能 锂电 电池 稀土 水泥 玻璃 造纸 化肥 农药 养殖 猪肉 种业 乳制品 调味品 啤酒 黄酒 纺织
服装 家居 装修 工程机械 机器人 人工智能 云计算 信创 国产替代 数字经济 碳中和 一带一路 专精特新 中字头 宽基指数
行业指数 主题指数 策略指数 沪深300 上证50 中证500 中证1000 科创50 标普500 纳斯达克 道琼斯 恒生指数 恒生科技 日经
债基 股基 混基 固收 固收+ 打新 量化 对冲 指增 另类 商品 原油 白银 铜 铝 锌 镍 钢 铁矿石 螺纹钢 大豆 玉米 棉花 白糖
地产债 产业债 中票 短融 超短融 私募债 资产支持证券 优先级 次级 转债基金 可转债基金 年化波动 下行波动率 上行捕获率
下跌捕获率 信息比率 卡玛比率 索提诺 特雷诺 詹森 跑赢 跑输 战胜 超越 领涨 领跌 抗跌 热门 冷门
"""

# What is known from reports only, and so may be the state of affairs on the last day of a period.
_ZH_REPORTED = """
资产 总资产 净资产 每股净资产 流动资产 固定资产 在建工程 负债 总负债 流动负债 资产负债率 负债率 有息负债 有息负债率
权益乘数 股东权益 归母股东权益 所有者权益 货币资金 现金及现金等价物 存货 商誉 应收账款 应收 应付 其他应收 其他应付
合同负债 预收 预收款项 预收类负债 存款 贷款 不良率 拨备 总股本 股本 资本开支 营运资本 收入 营业收入 营收
主营业务收入 利润 净利润 归母净利润 归母 扣非 扣非归母净利润 毛利 毛利率 净利率 销售净利率 销售毛利率 营业利润率
每股收益 亏损 扭亏 净资产收益率 总资产周转率 存货周转率 周转率 固定资产周转率 经营现金流 经营现金流净额 自由现金流
现金流 现金流量 现金流质量 现金分红 分红 分红率 派息 股利支付率 研发费用 研发强度 研发投入 费用率 销售费用率
销售费用 管理费用 财务费用 利息保障倍数 流动比率 速动比率 偿债 规模 管理规模 合并规模 份额 户数 股东户数 持有人户数
持有人 机构投资者 机构持有比例 员工 员工人数 持仓 持股 持股比例 净利 筹资 投资现金流 筹资现金流 税率 有效税率 研发
折旧 摊销 递延所得税资产 递延所得税 投入资本 营业利润 股息 零息债 付息 有息 短期有息债务 已实施现金分红 周转
资产负债表 利润表 现金流量表 应收账款周转天数 存货周转天数 带息债务 营业外 短期债务 长期债务 留存 留存盈余比率
资产扩张 往来款 占压 订单 偿付 前十大 前十大重仓股 占净值比 占净值比例 审计意见 股东 大股东 实际控制人 商誉占比
短债 短期借款 长期借款 应付账款 应付票据 应收票据 其他应收款 其他应付款 商誉减值 减值 减值准备 坏账 计提 资本公积
未分配利润 少数股东权益 少数股东损益 净现金 总营收 营业成本 毛利额 期间费用 研发人员 人员 员工数 员工总数 雇员 在册
门店 门店数 用户数 客户数 订单量 在手订单 产能 产量 销量 销售额 市占率 管理资产 管理资产规模 基金规模 资产规模
净资产规模 保有量 客户资产 机构持仓 外资持股 北向持股 股东数 户均持股 十大股东 前十大股东 前十大流通股东 质押
质押比例 担保额 授信 存款余额 贷款余额 保费 偿付能力 资本充足率 不良贷款 拨备覆盖率
"""

_EN_STRUCTURE = """
the a an of in on for by with to from than and or that which whose who what is are was were be has have had at
least most more less fewer shows showing top bottom best worst each every all both either these those this their
its it's between above below over under within exceeding exceeds exceed higher lower highest lowest largest
smallest biggest cheapest dearest greatest larger smaller greater big small high low long short large mid first
second third ten five twenty fifty hundred one two three four six seven eight nine list show give rank ranked
ranking find screen select pick identify name compute calculate measure count report return output print plot draw
compare sort sorted order ordered ascending descending filter filtered group grouped per percent percentage basis
points ratio share number numbers amount level change changes rise fall rose fell gain loss positive negative
consecutive column columns field fields code codes ticker tickers names symbol weight weights weighted equal
average mean median sum total standard deviation variance minimum maximum min max percentile quantile quartile
decile score scores factor factors table chart result results how many much please me us them as well also then
using use used based keep keeping remove drop dropping same other others another such like among against versus vs
relative absolute rounded decimal decimals places trailing past last recent current latest annualised annualized
cumulative compound rolling z-score f-score bp bps pct period label date id carry roll ride avg gap naive simple
beta t-stat r² alpha pearson spearman piotroski altman sharpe calmar json csv summary ols hac python top_n
ratio-based values trend ever where without while about into rated together separately side combined including
lists compared comparing difference differences gaps best-performing worst-performing plus minus times two-year
three-year five-year ten-year top-ten
"""
_EN_MARKET = """
stock stocks share shares company companies firm firms issuer issuers security securities member members
constituent constituents index indices fund funds bond bonds note notes etf etfs portfolio portfolios benchmark
sector sectors industry industries market markets exchange board listed traded trading day days session sessions
week weeks month months quarter quarters year years price prices close closing high low volume volumes turnover
return returns performance volatility drawdown drawdowns correlation beta alpha momentum value growth size
capitalisation capitalization cap caps mega spread spreads yield yields curve rate rates rating ratings maturity
maturities maturing duration coupon premium discount convertible government corporate treasury money credit
equity-fund net-value nav moving multiple multiples valuation excess gains losses industrial consumer bank banks
technology energy health care utilities gdp cpi inflation unemployment average z-scores price-to-book gross
operating annual quarterly interim half-year full-year fiscal financial balance sheet sheets figures figure manager
managers managed outstanding statement statements capital net rebalance rebalances rebalanced rebalancing backtest
trade trades hold held price-to-earnings dividend-yield equities ordinary a-share a-shares h-share st main-board
star chinext beijing shanghai shenzhen hong kong csi sse szse nasdaq nyse s&p russell dow exchange-listed
investment grade high-yield callable puttable sovereign agency treasuries oil gas insurance insurers brokers
brokerage semiconductor software pharma pharmaceutical biotech materials real estate telecom media retail retailers
autos transport shipping airlines mining steel coal food beverage liquor defence defense machinery construction
active passive hybrid qdii feeder share-class class classes suspended suspension delisted limit-up limit-down
turnover-rate market-cap free-float float total-return benchmark-relative tracking error information sharpe sortino
liquidity bid ask outperformed underperformed outperform underperform
"""
_EN_REPORTED = """
revenue revenues sales profit profits profitable income earnings eps margin margins cash flow flows debt debts
asset assets liability liabilities equity book leverage dividend dividends payout goodwill inventory inventories
receivables deposits loans expenditure r&d expenses costs holders holder shareholders headcount employees employee
staff aum holdings holding ownership roe roa roic receivable payable payables borrowings borrowing guarantee
guarantees impairment impairments provisions capex subscribers customers stores users backlog orders wages
"""


def _words(*texts: str) -> frozenset[str]:
    return frozenset(word for text in texts for word in text.split())


_EN = _words(_EN_STRUCTURE, _EN_MARKET, _EN_REPORTED)
_ZH = re.compile("|".join(sorted(_words(_ZH_STRUCTURE, _ZH_MARKET, _ZH_REPORTED), key=len, reverse=True)))
# Items of reports: a word of them says that a text is about reported figures.
REPORTED_ITEM = re.compile(
    "|".join(
        [*sorted(_words(_ZH_REPORTED), key=len, reverse=True), rf"\b(?:{'|'.join(_words(_EN_REPORTED))})\b"]
    ),
    re.IGNORECASE,
)
# Ranks and counts: "前50", "前十", "第3".
_RANK = re.compile(r"[前后第]\s*(?:[\d.]+\s*%?|[一二三四五六七八九十百]+)")
_LATIN = re.compile(r"[A-Za-z][A-Za-z0-9&'’.\-]*")
# Abbreviations that are no figure, ticker or name but a time.
_CLOCK = re.compile(r"[AP]\.?M|EOD|PIT|GMT|UTC|E[SD]?T|BJT|HKT|CST|DST|AMC|BMO|T|AH|PH")
# Characters of words of time, knowledge, prediction, supply, exception and denial. A name of a company or an odd figure
# may be left unread beside words that are known, but not with one of these.
_TELLING = frozenset(
    "时日月年周季旬天晨早午晚夜宵昨今明刻钟秒初末前后先次翌隔昔旧久暂曾未已才刚将届盘"
    "知晓闻讯息信见悉露布告报宣泄密漏传曝透公预测望料猜偷瞄窥视角允许准禁可能须算入"
    "除外仅只唯例免停跳略假装若如否不无勿别没莫空歇休库录载送推更修订改版宽延滞迟缓补调换过来去回"
    "实际真终照留新松完据拟遇原确认"
)
_HAN = re.compile(r"[\u3400-\u9fff]+")


def first_unknown(clause: str, *, names: bool = True) -> str | None:
    """Return the first word of a clause that is none of the plain words, a number or a code; or None.

    With ``names`` an odd word of Chinese beside known ones is taken for a name, unless it has a telling character.
    """
    start = len(clause) - len(clause.lstrip(" \"'“‘"))
    for match in _LATIN.finditer(clause):
        word = match.group().rstrip(".'’-")
        if not (_plain(word) or (word[0].isupper() and match.start() > start and not _CLOCK.fullmatch(word))):
            return word
    return _unknown_han(clause, names)


def _unknown_han(clause: str, names: bool) -> str | None:
    rest = _ZH.sub("·", _RANK.sub("·", clause))
    left = _HAN.findall(rest)
    if not left:
        return None
    known = sum(len(word) for word in _ZH.findall(clause) if len(word) > 1)
    telling = next((run for run in left if not _TELLING.isdisjoint(run)), None)
    return telling or (left[0] if not names or sum(map(len, left)) >= known else None)


def _plain(word: str) -> bool:
    """Whether an English word, or each part of one with hyphens, is a plain one; capitals are a code or a ratio."""
    if word.isupper() and not _CLOCK.fullmatch(word):
        return True
    if re.fullmatch(r"[a-su-z]|\w{0,2}\d+\w{0,3}", word):
        return True
    word = re.sub(r"['’]s?$", "", word.lower())
    return word in _EN or ("-" in word and all(part in _EN or part.isdigit() for part in word.split("-")))
